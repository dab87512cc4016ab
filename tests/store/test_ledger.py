"""What it cost, by agent, run, workflow, model and day (U1)."""

from __future__ import annotations

import sqlite3

import pytest
from story import delegated, launched, started

from store import events as e
from store.ledger import By, spent_since, usage_lines
from store.model import Counts
from store.record import Batch, record
from store.usage import Totals

DAY = 86_400_000


@pytest.fixture
def used(writer: sqlite3.Connection) -> sqlite3.Connection:
    """Three reports of three requests: two agents of one run, then another workflow the day after."""
    other = (launched("s", workflow="/other.toml"), e.DelegationDelegated(run="s", agent="api"), started("s", "api"))
    reports = (
        usage("r", "api", DAY, Counts(input=10, cost=5), model="opus"),
        usage("r", "ui", DAY + 1, Counts(input=20, estimated=7), model="sonnet"),
        usage("s", "api", 2 * DAY, Counts(output=1, cost=100)),
    )
    begin = (*delegated("r", "api", "ui"), started("r", "api"), started("r", "ui"), *other)
    (recorded,) = record(writer, [Batch(events=(*begin, *reports))])
    assert not recorded.refused
    return writer


def usage(run: str, agent: str, at: int, counts: Counts, *, model: str | None = None) -> e.UsageRecorded:
    return e.UsageRecorded(run=run, agent=agent, at=at, attempt=1, turns=1, counts=counts, model=model)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (By.AGENT, [("s/api", "api", 1, 100), ("r/ui", "ui", 1, 7), ("r/api", "api", 1, 5)]),
        (By.RUN, [("s", "/other.toml", 1, 100), ("r", "/project/ship.toml", 1, 12)]),
        (By.WORKFLOW, [("/other.toml", "/other.toml", 1, 100), ("/project/ship.toml", "/project/ship.toml", 1, 12)]),
        (By.MODEL, [(None, None, 1, 100), ("sonnet", "sonnet", 1, 7), ("opus", "opus", 1, 5)]),
        (By.DAY, [("1970-01-03", "1970-01-03", 1, 100), ("1970-01-02", "1970-01-02", 1, 12)]),
    ],
)
def test_each_way_to_group(used: sqlite3.Connection, by: By, expected: list[tuple[object, ...]]) -> None:
    lines = usage_lines(used, by)
    assert [(line.key, line.label, line.runs, line.totals.spent) for line in lines] == expected


def test_a_group_tells_reported_from_estimated_and_known_from_unknown(used: sqlite3.Connection) -> None:
    _, line = usage_lines(used, By.RUN)
    assert line.totals == Totals(
        input=30, cost=5, estimated=7, missing_output=2, missing_cache_read=2, missing_cache_write=2
    )


def test_only_what_was_used_since(used: sqlite3.Connection) -> None:
    assert [line.key for line in usage_lines(used, By.AGENT, since=DAY + 1)] == ["s/api", "r/ui"]
    assert usage_lines(used, By.AGENT, since=2 * DAY + 1) == []
    assert spent_since(used, 2 * DAY).spent == 100
    assert spent_since(used, 0).spent == 112


def test_only_one_run(used: sqlite3.Connection) -> None:
    assert [line.key for line in usage_lines(used, By.MODEL, run="r")] == ["sonnet", "opus"]


def test_a_replaced_report_counts_once_and_when_it_came(used: sqlite3.Connection) -> None:
    (before, after) = (
        e.UsageRecorded(run="r", agent="ui", at=at, attempt=1, request="q", counts=Counts(input=tokens))
        for at, tokens in ((3 * DAY, 5), (4 * DAY, 6))
    )
    record(used, [Batch(events=(before, after))])
    (newest, *_) = usage_lines(used, By.DAY)
    assert (newest.key, newest.totals.input) == ("1970-01-05", 6)


@pytest.mark.parametrize("by", By)
def test_nothing_was_used(writer: sqlite3.Connection, by: By) -> None:
    assert usage_lines(writer, by) == []
    assert spent_since(writer, 0) == Totals()
