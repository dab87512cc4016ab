"""The only way to change state: check, compare-and-set, event, tables, outbox and request, in one transaction.

Rules E2, E3, E5, E6. Nobody else writes events or the tables that follow from them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store import events as e
from store import projections
from store.database import write
from store.encoding import encode
from store.ids import now_ms
from store.machine import OF_AN_ATTEMPT, WITHIN_LIVE_RUN, next_delegation_state, next_run_state
from store.model import RunState, State

_MAY_CLASH = frozenset({"delegation.started", "attempt.named"})  # the exclusive claim on a session id


@dataclass(frozen=True, kw_only=True, slots=True)
class Handled:
    """The request that a batch answers; the batch applies only if the request still waits, and marks it."""

    request: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    state: str = "handled"  # or 'refused', 'expired'


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Events of one moment, in order, and the request that caused them, if one did."""

    events: Sequence[e.Event] = ()
    handled: Handled | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An event that did not apply, and why; it is kept among the dead letters (E6)."""

    event: e.Event
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What became of one batch: events applied now, events refused, and whether its request was still waiting.

    An event that had been recorded before is in neither list: recording is idempotent by event id.
    """

    applied: tuple[e.Event, ...] = ()
    refused: tuple[Refusal, ...] = ()
    stale: bool = False  # the request had been answered before, so nothing of the batch was applied


def record(connection: sqlite3.Connection, batches: Sequence[Batch]) -> list[Recorded]:
    """What became of each batch, after one durable transaction for all of them.

    Raises `sqlite3.Error` when nothing was written at all (no space, a damaged file).
    """
    with write(connection):
        return [_batch(connection, batch) for batch in batches]


def _batch(connection: sqlite3.Connection, batch: Batch) -> Recorded:
    if batch.handled is not None and not _mark(connection, batch.handled):
        return Recorded(stale=True)
    applied: list[e.Event] = []
    refused: list[Refusal] = []
    for event in batch.events:
        from_state, to_state, why = _admit(connection, event)
        if why is None:
            why = _append(connection, event, from_state, to_state)
        if why is None:
            applied.append(event)
        elif not _known(connection, event):
            refused.append(Refusal(event=event, why=why))
            _keep(connection, event, why)
    return Recorded(applied=tuple(applied), refused=tuple(refused))


def _mark(connection: sqlite3.Connection, handled: Handled) -> bool:
    cursor = connection.execute(
        "UPDATE inbox SET state=?, answer=?, handled_at=? WHERE id=? AND state='waiting'",
        (handled.state, json.dumps(dict(handled.answer), ensure_ascii=False), now_ms(), handled.request),
    )
    return cursor.rowcount == 1


def _admit(connection: sqlite3.Connection, event: e.Event) -> tuple[str | None, str | None, str | None]:
    """(from state, to state, why not): where the event applies, or the reason that it does not."""
    if event.run is None:
        return None, None, None
    kind = event.type.partition(".")[0]
    if kind == "delegation":
        row = connection.execute(
            "SELECT state FROM delegations WHERE run=? AND agent=?", (event.run, event.agent)
        ).fetchone()
        before = None if row is None else State(row[0])
        after = next_delegation_state(before, event.type)
        return before, after, None if after else _does_not_apply(event, before)
    row = connection.execute("SELECT state FROM runs WHERE id=?", (event.run,)).fetchone()
    run_before = None if row is None else RunState(row[0])
    if kind == "run":
        run_after = next_run_state(run_before, event.type)
        return run_before, run_after, None if run_after else _does_not_apply(event, run_before)
    if event.type in WITHIN_LIVE_RUN:
        return None, None, None if run_before is RunState.LIVE else _does_not_apply(event, run_before)
    if event.type in OF_AN_ATTEMPT:
        row = connection.execute(
            "SELECT ended_at FROM attempts WHERE run=? AND agent=? AND number=?",
            (event.run, event.agent, getattr(event, "attempt", None)),
        ).fetchone()
        if row is None:
            return None, None, f"{event.type} of an attempt that the record does not know"
        if row[0] is not None and event.type != "usage.recorded":
            return None, None, f"{event.type} of an attempt that has ended"
        return None, None, None
    return None, None, f"{event.type} is not in the machine"


def _does_not_apply(event: e.Event, before: State | RunState | None) -> str:
    return f"{event.type} does not apply to what is {before or 'unknown to the record'}"


def _append(connection: sqlite3.Connection, event: e.Event, from_state: str | None, to_state: str | None) -> str | None:
    """Appends the event, its rows and its outbox row; returns why not when a constraint forbids it."""
    guarded = event.type in _MAY_CLASH
    if guarded:
        connection.execute("SAVEPOINT event")
    try:
        cursor = connection.execute(
            "INSERT INTO events(id, at, run, agent, type, from_state, to_state, data) VALUES(?,?,?,?,?,?,?,?)",
            (event.id, event.at, event.run, event.agent, event.type, from_state, to_state, encode(event)),
        )
        connection.execute("INSERT INTO outbox(seq) VALUES(?)", (cursor.lastrowid,))
        projections.apply(connection, event, to_state)
    except sqlite3.IntegrityError as error:
        if guarded:
            connection.execute("ROLLBACK TO event")
            connection.execute("RELEASE event")
            if "session" in str(error):
                return "that session is taken up by another attempt that has not ended (R17)"
        elif not _known(connection, event):
            raise
        return str(error)
    if guarded:
        connection.execute("RELEASE event")
    return None


def _known(connection: sqlite3.Connection, event: e.Event) -> bool:
    return connection.execute("SELECT 1 FROM events WHERE id=?", (event.id,)).fetchone() is not None


def _keep(connection: sqlite3.Connection, event: e.Event, why: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO dead_letters(id, at, kind, run, agent, type, data, why) VALUES(?,?,'refused',?,?,?,?,?)",
        (event.id, event.at, event.run, event.agent, event.type, encode(event), why),
    )
