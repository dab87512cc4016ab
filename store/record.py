"""The only way to change state: check, compare-and-set, event, tables, outbox and request, in one transaction.

Rules E2, E3, E5, E6. Nobody else writes events or the tables that follow from them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from store import events as e
from store import projections
from store.database import write
from store.encoding import encode
from store.ids import now_ms
from store.machine import DELEGATION, OF_AN_ATTEMPT, OF_NO_RUN, RUN, WITHIN_LIVE_RUN
from store.model import RunState

# What SQLite, or the way to it, says of a row that cannot stand: a constraint, a number of more than 64 bits, text that
# is no Unicode. The rest (no space, a damaged file, a lock) says nothing about the event.
_UNFIT = (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError)


@dataclass(frozen=True, kw_only=True, slots=True)
class Handled:
    """The request that a batch answers; the batch applies only if the request still waits, and marks it.

    `before`: the moment (ms) after which it must not apply, however long the record could not be written (R22).
    """

    request: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    state: str = "handled"  # or 'refused', 'expired'
    before: int | None = None


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
    stale: bool = False  # the request had been answered before, or too long ago asked: nothing was applied


# The machine in the words of the tables: an enum would be made and hashed several times for each event.
_DELEGATION = {(before and before.value, event): after.value for (before, event), after in DELEGATION.items()}
_RUN = {(before and before.value, event): after.value for (before, event), after in RUN.items()}


class _Fate(Enum):
    APPLIED = auto()
    KNOWN = auto()  # the record had it before


_Apply = Callable[[sqlite3.Connection, e.Event], _Fate | Refusal]


def record(connection: sqlite3.Connection, batches: Sequence[Batch]) -> list[Recorded]:
    """What became of each batch, after one durable transaction for all of them.

    An event that does not fit the tables is refused alone; the others of its batch stand. Raises
    `sqlite3.OperationalError` or `DatabaseError` when nothing was written at all (no space, a damaged file).
    """
    try:
        with write(connection):
            return [_batch(connection, batch, _apply) for batch in batches]
    except _UNFIT:
        with write(connection):  # rare, so only now does each event get a savepoint to be undone to
            return [_batch(connection, batch, _apply_alone) for batch in batches]


def _batch(connection: sqlite3.Connection, batch: Batch, apply: _Apply) -> Recorded:
    if batch.handled is not None and not _mark(connection, batch.handled):
        return Recorded(stale=True)
    applied: list[e.Event] = []
    refused: list[Refusal] = []
    for event in batch.events:
        fate = apply(connection, event)
        if fate is _Fate.APPLIED:
            applied.append(event)
        elif isinstance(fate, Refusal):
            refused.append(fate)
            _keep(connection, fate)
    return Recorded(applied=tuple(applied), refused=tuple(refused))


def _mark(connection: sqlite3.Connection, handled: Handled) -> bool:
    now = now_ms()
    if handled.before is not None and now > handled.before:
        return False
    cursor = connection.execute(
        "UPDATE inbox SET state=?, answer=?, handled_at=? WHERE id=? AND state='waiting'",
        (handled.state, json.dumps(dict(handled.answer)), now, handled.request),
    )
    return cursor.rowcount == 1


def _apply(connection: sqlite3.Connection, event: e.Event) -> _Fate | Refusal:
    """Appends the event with its outbox row and brings the tables in step, if it applies from how things stand."""
    from_state, to_state, why = _admit(connection, event)
    if why is not None:
        return _Fate.KNOWN if _known(connection, event) else Refusal(event=event, why=why)
    cursor = connection.execute(
        "INSERT INTO events(id, at, run, agent, type, from_state, to_state, data) VALUES(?,?,?,?,?,?,?,?)"
        " ON CONFLICT(id) DO NOTHING",
        (event.id, event.at, event.run, event.agent, event.type, from_state, to_state, encode(event)),
    )
    if cursor.rowcount == 0:
        return _Fate.KNOWN
    connection.execute("INSERT INTO outbox(seq) VALUES(?)", (cursor.lastrowid,))
    projections.apply(connection, event)
    return _Fate.APPLIED


def _apply_alone(connection: sqlite3.Connection, event: e.Event) -> _Fate | Refusal:
    """The same, so that an event which does not fit is undone and refused alone."""
    connection.execute("SAVEPOINT event")
    fate: _Fate | Refusal
    try:
        fate = _apply(connection, event)
    except _UNFIT as error:
        connection.execute("ROLLBACK TO event")
        fate = Refusal(event=event, why=_does_not_fit(error))
    connection.execute("RELEASE event")
    return fate


def _does_not_fit(error: Exception) -> str:
    if "attempts.session" in str(error):
        return "that session is taken up by another attempt that has not ended (R17)"
    return f"it does not fit the record: {error}"


def _admit(connection: sqlite3.Connection, event: e.Event) -> tuple[str | None, str | None, str | None]:
    """(from state, to state, why not): where the event applies, or the reason that it does not."""
    kind = event.type
    if kind.startswith(OF_NO_RUN):
        return None, None, None
    if kind in OF_AN_ATTEMPT:
        return None, None, _why_not_of_attempt(connection, event)
    row = connection.execute(
        "SELECT runs.state, delegations.state FROM runs"
        " LEFT JOIN delegations ON delegations.run = runs.id AND delegations.agent = ? WHERE runs.id = ?",
        (event.agent, event.run),
    ).fetchone()
    of_run, state = row or (None, None)
    if kind.startswith("run."):
        after = _RUN.get((of_run, kind))
        return of_run, after, None if after else _does_not_apply(event, of_run)
    if of_run != RunState.LIVE:
        return None, None, f"{kind} does not apply in a run that is {of_run or 'unknown to the record'}"
    if kind in WITHIN_LIVE_RUN:
        return None, None, None
    after = _DELEGATION.get((state, kind))
    return state, after, None if after else _does_not_apply(event, state)


def _why_not_of_attempt(connection: sqlite3.Connection, event: e.Event) -> str | None:
    row = connection.execute(
        "SELECT ended_at FROM attempts WHERE run=? AND agent=? AND number=?",
        (event.run, event.agent, getattr(event, "attempt", None)),
    ).fetchone()
    if row is None:
        return f"{event.type} of an attempt that the record does not know"
    if row[0] is not None and event.type != "usage.recorded":
        return f"{event.type} of an attempt that has ended"
    return None


def _does_not_apply(event: e.Event, before: str | None) -> str:
    return f"{event.type} does not apply to what is {before or 'unknown to the record'}"


def _known(connection: sqlite3.Connection, event: e.Event) -> bool:
    return connection.execute("SELECT 1 FROM events WHERE id=?", (event.id,)).fetchone() is not None


def _keep(connection: sqlite3.Connection, refusal: Refusal) -> None:
    event = refusal.event
    connection.execute(
        "INSERT OR IGNORE INTO dead_letters(id, at, kind, run, agent, type, data, why) VALUES(?,?,'refused',?,?,?,?,?)",
        (event.id, event.at, event.run, event.agent, event.type, encode(event), refusal.why),
    )
