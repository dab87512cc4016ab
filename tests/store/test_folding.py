"""Folding the log gives the state, whatever happens and however it is batched (E2, O3)."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from arbitrary import RUNS, batched, happenings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from story import launched

from store import events as e
from store.audit import audit_run
from store.audit import events as events_of
from store.database import open_writer
from store.errors import RunNotFound
from store.fold import Folded, fold, step
from store.ledger import By, usage_lines
from store.migrations import migrate
from store.model import FINAL_STATES, Counts
from store.record import Batch, Recorded, record
from store.usage import Totals
from store.views import load_run

EXAMPLES = settings(
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],  # to explain a failure takes minutes
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated record without a run, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "record.db"
    connection = open_writer(path)
    migrate(connection, path, machine="this-machine")
    connection.close()
    return path


@contextmanager
def fresh(empty: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(dir=empty.parent) as folder:
        path = Path(shutil.copy(empty, folder))
        connection = open_writer(path)
        connection.execute("PRAGMA synchronous=OFF")
        yield connection
        connection.close()


def rows(connection: sqlite3.Connection) -> list[str]:
    """Everything in the record but what is its own from birth, and the next free numbers."""
    of_birth = ("created_at", "'record'", "sqlite_sequence")
    return [line for line in connection.iterdump() if not any(word in line for word in of_birth)]


def states(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    return {row[:2]: row[2] for row in connection.execute("SELECT run, agent, state FROM delegations")}


@given(data=st.data())
@EXAMPLES
def test_the_tables_stand_where_the_log_folds_to(empty: Path, data: st.DataObject) -> None:
    events = data.draw(happenings())
    recorded: list[Recorded] = []
    with fresh(empty) as connection:
        for batch in data.draw(batched(events)):
            before = states(connection)
            recorded += record(connection, [Batch(events=batch)])
            after = states(connection)
            assert all(after[key] == state for key, state in before.items() if state in FINAL_STATES)
        for run in RUNS:
            folded = fold(events_of(connection, run))
            if folded is None:
                with pytest.raises(RunNotFound):
                    load_run(connection, run)
            else:
                assert load_run(connection, run) == folded
                assert audit_run(connection, run) == []
        applied = {event.id for one in recorded for event in one.applied}
        refused = {refusal.event.id for one in recorded for refusal in one.refused}
        logged = {row[0] for row in connection.execute("SELECT id FROM events")}
        letters = {row[0] for row in connection.execute("SELECT id FROM dead_letters WHERE kind='refused'")}
        assert (logged, letters) == (applied, refused)
        assert logged | letters == {event.id for event in events}
        assert connection.execute(
            "SELECT (SELECT group_concat(seq) FROM (SELECT seq FROM events ORDER BY seq))"
            " IS (SELECT group_concat(seq) FROM (SELECT seq FROM outbox ORDER BY seq))"
        ).fetchone() == (1,)


@given(data=st.data())
@EXAMPLES
def test_how_events_are_batched_makes_no_difference(empty: Path, data: st.DataObject) -> None:
    events = data.draw(happenings(most=20))
    stands = []
    for batches in ([events], data.draw(batched(events)), [[event] for event in events]):
        with fresh(empty) as connection:
            record(connection, [Batch(events=batch) for batch in batches])
            stands.append(rows(connection))
    assert stands[0] == stands[1] == stands[2]


@given(data=st.data())
@EXAMPLES
def test_recording_everything_once_more_changes_nothing(empty: Path, data: st.DataObject) -> None:
    """A journal is read again after a crash: what had applied is known, and counts nothing (E11, U4)."""
    events = data.draw(happenings(most=20))
    with fresh(empty) as connection:
        (once,) = record(connection, [Batch(events=events)])
        stands = rows(connection)
        (again,) = record(connection, [Batch(events=once.applied)])
        assert again == Recorded()
        assert rows(connection) == stands


def known(totals: Totals) -> Totals:
    """The totals, with what is nothing at all told apart from zero only where tokens are concerned.

    A request whose estimate gave way to a reported cost leaves zero estimated dollars in a running sum, and none in
    the ledger: both say that no money was estimated.
    """
    return replace(totals, turns=0, estimated=totals.estimated or None)


def together(parts: list[Totals]) -> Totals:
    """The sum of sums, by the rule in the mission: unknown plus unknown is unknown, and what is missing adds up."""
    sums: dict[str, Any] = {}
    for part in parts:
        for item in fields(Totals):
            value = getattr(part, item.name)
            if value is not None:
                sums[item.name] = sums.get(item.name, 0) + value
    return Totals(**sums)


@given(data=st.data())
@EXAMPLES
def test_every_way_to_add_up_gives_the_same_sum(empty: Path, data: st.DataObject) -> None:
    """Runs, their delegations, and the ledger by agent, run, workflow, model and day (U1, U4)."""
    events = data.draw(happenings())
    with fresh(empty) as connection:
        record(connection, [Batch(events=events)])
        runs = [load_run(connection, row[0]) for row in connection.execute("SELECT id FROM runs").fetchall()]
        of_runs = together([run.totals for run in runs])
        of_delegations = together([one.totals for run in runs for one in run.delegations.values()])
        assert of_runs == of_delegations
        for by in By:
            assert known(together([line.totals for line in usage_lines(connection, by)])) == known(of_runs), by
        for run in runs:
            alone = together([line.totals for line in usage_lines(connection, By.RUN, run=run.id)])
            assert known(alone) == known(run.totals)


def test_a_fold_can_be_taken_up_where_it_was_left() -> None:
    """The watch folds each event as it records it; a later one folds the whole log."""
    events = [
        launched("r"),
        e.DelegationDelegated(run="r", agent="api"),
        e.DelegationStarted(run="r", agent="api", attempt=1, attempt_id="a1", cli="claude"),
        *(
            e.UsageRecorded(run="r", agent="api", attempt=1, turns=1, request="q", counts=Counts(input=number))
            for number in (5, 7)
        ),
    ]
    folded: Folded | None = None
    for event in events:
        folded = step(folded, event)
    assert folded is not None
    assert folded.run == fold(events)
    assert folded.run.totals.input == 7
    assert folded.run.totals.turns == 2


def test_events_without_a_launch_fold_to_nothing() -> None:
    assert fold([e.RunPaused(run="r"), e.DelegationDelegated(run="r", agent="api")]) is None
