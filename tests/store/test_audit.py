"""The audit says where tables and log differ (E2)."""

from __future__ import annotations

import sqlite3

import pytest
from story import delegated, launched, way_to

from store import events as e
from store.audit import Difference, audit_run, run_ids
from store.model import Counts, State
from store.record import Batch, record


@pytest.fixture
def run(writer: sqlite3.Connection) -> str:
    usage = e.UsageRecorded(run="r", agent="api", attempt=1, turns=2, counts=Counts(input=5, cost=7))
    (recorded,) = record(
        writer,
        [Batch(events=(launched("r"), *way_to(State.RUNNING, "r", "api"), usage, *way_to(State.DONE, "r", "ui")))],
    )
    assert not recorded.refused
    return "r"


def test_there_is_nothing_to_say_of_what_agrees(writer: sqlite3.Connection, run: str) -> None:
    assert audit_run(writer, run) == []
    assert run_ids(writer) == [run]


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE delegations SET state='done' WHERE agent='api'", "api.state"),
        ("UPDATE delegations SET held=1 WHERE agent='ui'", "ui.held"),
        ("UPDATE delegations SET input=6 WHERE agent='api'", "api.totals"),
        ("UPDATE runs SET cost=NULL", "totals"),
        ("UPDATE runs SET state='finished'", "state"),
        ("UPDATE runs SET plan='{\"waves\":[]}'", "plan"),
        ("UPDATE attempts SET exit_code=0 WHERE agent='api'", "api.attempts"),
        ("DELETE FROM attempts WHERE agent='ui'", "ui.attempts"),
        ("DELETE FROM delegations WHERE agent='ui'", "ui"),
        ("INSERT INTO delegations(run, agent, wave, position, state) VALUES('r', 'ghost', 0, 0, 'done')", "ghost"),
    ],
)
def test_it_says_where(writer: sqlite3.Connection, run: str, statement: str, where: str) -> None:
    writer.execute(statement)
    differences = audit_run(writer, run)
    assert [difference.where for difference in differences] == [where]
    assert differences[0].folded != differences[0].stands


def test_a_run_whose_log_is_gone(writer: sqlite3.Connection, run: str) -> None:
    record(writer, [Batch(events=delegated("other", "api"))])
    writer.execute("INSERT INTO evicting VALUES('r')")
    writer.execute("DELETE FROM events WHERE run='r'")
    assert audit_run(writer, run) == [Difference(run="r", where="run", folded="no launch in the log", stands="live")]
    assert run_ids(writer) == ["other"]
