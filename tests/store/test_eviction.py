"""A record leaves whole; its history line and what it cost stay (R5, R6)."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arbitrary import COUNTS, RUNS, happenings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from story import cut_off, delegated, finished, started

from store import events as e
from store import outbox
from store.audit import audit_run, run_ids
from store.database import open_writer
from store.eviction import evict, gone, half_gone
from store.ledger import By, UsageLine, spent_since, usage_lines
from store.letters import open_letters
from store.log import events_of
from store.migrations import migrate
from store.model import Counts, Outcome
from store.record import Batch, record
from store.recovery import runs_with_something_left
from store.retention import Dropped, kept_runs, unmeasured
from store.seen import once
from store.views import load_run, run_line, run_lines
from store.vitals import VitalsRow, write_vitals
from store.workflow_lines import workflow_lines

TABLES = ("events", "delegations", "attempts", "vitals", "dead_letters", "seen", "outbox")


def ship_all(writer: sqlite3.Connection) -> None:
    outbox.hand_out(writer, {}, limit=10_000, now=0)


def rows_of(writer: sqlite3.Connection) -> dict[str, int]:
    return {table: int(writer.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in TABLES}


def live_through(writer: sqlite3.Connection, run: str) -> None:
    """A run with something in every table, and its end."""
    record(writer, [Batch(events=(*delegated(run, "api"), started(run, "api")))])
    usage = [
        e.UsageRecorded(run=run, agent="api", attempt=1, turns=2, counts=Counts(input=3, cost=5), model=model, at=at)
        for model, at in (("opus", 1_000), ("opus", 2_000), (None, 3_000), ("opus", 90_000_000))
    ]
    record(writer, [Batch(events=usage), Batch(events=(e.DelegationRefining(run=run, agent="api"),))])
    write_vitals(writer, [VitalsRow(run=run, agent="api", at=1, sign_of_life=1, cpu=1, memory=1)])
    once(writer, "screen", usage[0].id, lambda _: None)
    record(writer, [Batch(events=(finished(run, Outcome.WITH_FAILURES),))])
    ship_all(writer)


def test_its_line_and_its_cost_stay_and_nothing_else(writer: sqlite3.Connection) -> None:
    live_through(writer, "r")
    line = run_line(writer, "r")
    assert line.dropped is None
    assert evict(writer, "r", Dropped.EVICTED)
    assert rows_of(writer) == dict.fromkeys(TABLES, 0)
    after = run_line(writer, "r")
    assert after.dropped == "evicted"
    unchanged = ("seq", "workflow", "name", "outcome", "why", "started_at", "ended_at", "totals", "reached_end", "wave")
    assert [getattr(after, name) for name in unchanged] == [getattr(line, name) for name in unchanged]
    assert (after.totals.turns, after.totals.input, after.totals.cost) == (8, 12, 20)
    whole = load_run(writer, "r")
    assert (whole.delegations, dict(whole.inputs), whole.plan.waves) == ({}, {}, ())
    assert list(events_of(writer, "r")) == run_ids(writer) == kept_runs(writer) == unmeasured(writer, limit=9) == []
    assert [one.id for one in run_lines(writer)] == ["r"]
    assert workflow_lines(writer)["/project/ship.toml"].last.id == "r"
    usage = writer.execute("SELECT agent, model, at, input FROM usage ORDER BY at").fetchall()
    assert usage == [("api", "opus", 2_000, 6), ("api", None, 3_000, 3), ("api", "opus", 90_000_000, 3)]


def test_others_stay_as_they_are(writer: sqlite3.Connection) -> None:
    live_through(writer, "r")
    before = rows_of(writer), load_run(writer, "r")
    live_through(writer, "s")
    evict(writer, "s", Dropped.TOO_LARGE)
    assert (rows_of(writer), load_run(writer, "r")) == before
    assert audit_run(writer, "r") == []
    assert [one.run for one in open_letters(writer)] == ["r"]
    with pytest.raises(sqlite3.IntegrityError, match="only deleted with its whole run"):
        writer.execute("DELETE FROM events WHERE run='r'")
    assert run_line(writer, "s").dropped == "too large"


def test_until_its_folder_is_gone_it_is_half_gone(writer: sqlite3.Connection) -> None:
    live_through(writer, "r")
    evict(writer, "r", Dropped.EVICTED)
    assert half_gone(writer) == ["r"]
    gone(writer, "r")
    assert half_gone(writer) == []


def test_what_may_not_leave_stays(writer: sqlite3.Connection) -> None:
    record(writer, [Batch(events=delegated("live", "api"))])
    record(writer, [Batch(events=(*delegated("owed", "api"), finished("owed")))])
    stands = list(writer.iterdump())
    for run in ("live", "owed", "unknown"):
        assert not evict(writer, run, Dropped.TOO_LARGE)
    assert list(writer.iterdump()) == stands
    ship_all(writer)
    assert evict(writer, "owed", Dropped.EVICTED)
    assert not evict(writer, "owed", Dropped.EVICTED)


def test_a_run_that_waits_for_a_person_stays_until_it_is_settled(writer: sqlite3.Connection) -> None:
    record(writer, [Batch(events=cut_off("r", "api"))])
    ship_all(writer)
    assert runs_with_something_left(writer) == ["r"]
    assert not evict(writer, "r", Dropped.EVICTED)
    record(writer, [Batch(events=(e.RunDiscarded(run="r"),))])
    ship_all(writer)
    assert evict(writer, "r", Dropped.EVICTED)
    assert runs_with_something_left(writer) == []


def test_whatever_interrupts_it_the_record_is_whole_or_gone(
    writer: sqlite3.Connection, reader: sqlite3.Connection
) -> None:
    live_through(writer, "r")
    stands, moment, interrupted = list(reader.iterdump()), 10, 0
    while True:
        with interrupted_after(writer, moment) as cut:
            try:
                evict(writer, "r", Dropped.EVICTED)
            except sqlite3.OperationalError:
                interrupted += 1
                assert list(reader.iterdump()) == stands
        if not cut():
            break
        moment += max(1, moment // 9)
    assert interrupted > 20
    assert rows_of(reader) == dict.fromkeys(TABLES, 0)


@contextmanager
def interrupted_after(connection: sqlite3.Connection, instructions: int) -> Iterator[Callable[[], bool]]:
    """SQLite is interrupted once, after so many instructions; yields whether it came to that."""
    seen = 0

    def count() -> int:
        nonlocal seen
        seen += 1
        return int(seen == instructions)

    connection.set_progress_handler(count, 1)
    try:
        yield lambda: seen >= instructions
    finally:
        connection.set_progress_handler(None, 0)


def sums(connection: sqlite3.Connection) -> dict[str, list[UsageLine]]:
    """Everything that can be asked about what was used, but the order of groups that end at the same moment."""
    found = {by.value: sorted(usage_lines(connection, by), key=repr) for by in By}
    for run in RUNS:
        found[run] = usage_lines(connection, By.RUN, run=run)
    return found


@st.composite
def much_used(draw: st.DrawFn) -> list[e.Event]:
    """Happenings, and then many requests on few days, so that several add up to one."""
    events = [*draw(happenings(most=10))]
    for run in RUNS:
        events += [*delegated(run, "api")[1:], started(run, "api")]
        requests = draw(st.lists(st.tuples(COUNTS, st.booleans(), st.sampled_from([0, 1, 86_400_000])), max_size=12))
        events += [
            e.UsageRecorded(run=run, agent="api", attempt=1, counts=counts, model="opus", at_least=at_least, at=at)
            for counts, at_least, at in requests
        ]
    return events


@given(events=much_used(), chosen=st.sets(st.sampled_from(RUNS)))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_was_used_adds_up_to_the_same_before_and_after(events: list[e.Event], chosen: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.db"
        connection = open_writer(path)
        connection.execute("PRAGMA synchronous=OFF")
        migrate(connection, path, machine="this-machine")
        record(connection, [Batch(events=events)])
        record(connection, [Batch(events=[finished(run), e.RunDiscarded(run=run)]) for run in RUNS])
        ship_all(connection)
        days = [day * 86_400_000 for day in range(13)]
        before = sums(connection), [spent_since(connection, day) for day in days]
        left = [evict(connection, run, Dropped.EVICTED) for run in chosen]
        assert (sums(connection), [spent_since(connection, day) for day in days]) == before
        for run in chosen:
            groups, rows = connection.execute(
                "SELECT count(DISTINCT json_array(agent, model, at / 86400000)), count(*) FROM usage WHERE run=?",
                (run,),
            ).fetchone()
            assert groups == rows
        assert len(left) == len(chosen)
        connection.close()
