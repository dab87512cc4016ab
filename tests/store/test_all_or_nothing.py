"""A commit holds all that belongs together or nothing of it; an event that cannot stand is refused alone (E2)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from story import delegated, started

from store import events as e
from store import projections
from store.audit import audit_run
from store.model import Counts, Reason
from store.record import Batch, record


def count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


UNFIT = {
    "a number of more than 64 bits": e.UsageRecorded(run="r", agent="api", attempt=1, counts=Counts(input=1 << 70)),
    "half of a surrogate pair": e.DelegationFailed(run="r", agent="api", detail="caf\udcc3"),
    "an agent without a name": e.DelegationDelegated(run="r"),
    "an id of an attempt that is taken": e.DelegationStarted(
        run="r", agent="ui", attempt=1, attempt_id="taken", cli="codex"
    ),
}


@pytest.mark.parametrize("unfit", UNFIT.values(), ids=UNFIT)
def test_an_event_that_does_not_fit_is_refused_alone(writer: sqlite3.Connection, unfit: e.Event) -> None:
    first = (
        *delegated("r", "api", "ui"),
        e.DelegationStarted(run="r", agent="api", attempt=1, attempt_id="taken", cli="claude"),
    )
    before, after = e.RunPaused(run="r"), e.RunUnpaused(run="r")
    recorded = record(writer, [Batch(events=(*first, before)), Batch(events=(unfit, after)), Batch(events=(unfit,))])
    assert [event for one in recorded for event in one.applied] == [*first, before, after]
    assert [refusal.event for one in recorded for refusal in one.refused] == [unfit, unfit]
    assert "it does not fit the record" in recorded[1].refused[0].why
    assert writer.execute("SELECT id FROM dead_letters").fetchall() == [(unfit.id,)]
    assert count(writer, "events") == count(writer, "outbox") == len(first) + 2
    assert audit_run(writer, "r") == []


class Broken(Exception):
    pass


@pytest.mark.parametrize("moment", ["before the state", "after the state"])
def test_an_error_between_event_and_state_leaves_neither(
    writer: sqlite3.Connection, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    record(writer, [Batch(events=delegated("r", "api", "ui"))])
    stands = list(reader.iterdump())
    really = projections.apply

    def breaks(connection: sqlite3.Connection, event: e.Event) -> None:
        if event.agent != "ui" or moment == "after the state":
            really(connection, event)
        if event.agent == "ui":
            raise Broken

    monkeypatch.setattr(projections, "apply", breaks)
    with pytest.raises(Broken):
        record(writer, [Batch(events=(started("r", "api"),)), Batch(events=(started("r", "ui"),))])
    assert list(reader.iterdump()) == stands
    monkeypatch.undo()
    (recorded,) = record(writer, [Batch(events=(started("r", "ui"),))])
    assert not recorded.refused


def moments() -> Iterator[int]:
    """After how many instructions SQLite is interrupted: close together at first, then wider apart."""
    moment = 1
    while moment < 2_000:
        yield moment
        moment += max(1, moment // 8)


def test_an_interruption_at_any_moment_leaves_all_or_nothing(
    writer: sqlite3.Connection, reader: sqlite3.Connection
) -> None:
    record(writer, [Batch(events=delegated("r", "api", "ui"))])
    batch = [
        Batch(events=(started("r", "api"), e.DelegationStopping(run="r", agent="ui", reason=Reason.GATE))),
        Batch(events=(e.UsageRecorded(run="r", agent="api", attempt=1, turns=1, counts=Counts(cost=3)),)),
    ]
    stands, interrupted = list(reader.iterdump()), 0
    for moment in moments():
        writer.set_progress_handler(lambda: 1, moment)
        try:
            record(writer, batch)
        except sqlite3.OperationalError:
            interrupted += 1
            assert list(reader.iterdump()) == stands
        else:
            break
        finally:
            writer.set_progress_handler(None, 0)
    assert interrupted > 10
    assert count(reader, "events") == count(reader, "outbox") == 6
    assert audit_run(reader, "r") == []


def test_when_the_commit_cannot_be_made_nothing_is_claimed(
    writer: sqlite3.Connection, reader: sqlite3.Connection
) -> None:
    """No room: the same error as on a full disk."""
    record(writer, [Batch(events=delegated("r", *(f"agent-{number}" for number in range(50))))])
    stands = list(reader.iterdump())
    writer.execute(f"PRAGMA max_page_count={writer.execute('PRAGMA page_count').fetchone()[0]}")
    long = "x" * 5_000
    batch = Batch(
        events=[
            *(started("r", f"agent-{number}") for number in range(50)),
            *(e.DelegationFailed(run="r", agent=f"agent-{number}", detail=long) for number in range(50)),
        ]
    )
    with pytest.raises(sqlite3.OperationalError, match="full"):
        record(writer, [batch])
    assert list(reader.iterdump()) == stands
    writer.execute("PRAGMA max_page_count=1000000")
    (recorded,) = record(writer, [batch])
    assert len(recorded.applied) == 100
    assert audit_run(reader, "r") == []
