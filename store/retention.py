"""Which records are kept and which leave: bounded by count and by bytes, oldest first (R5, R6).

Never chosen: a live run, one that waits for a person, what either of them continues, one with events not shipped yet.
The newest record of every workflow is pinned, unless it is too large by itself. How a record leaves: `store.eviction`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from store.database import write
from store.recovery import runs_with_something_left


class Dropped(StrEnum):
    """Why a record is gone; the history line says it."""

    EVICTED = "evicted"
    TOO_LARGE = "too large"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """How much is kept: records, bytes of all of them together, bytes of a single one."""

    runs: int
    bytes: int
    record: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A run whose record is whole. `ended` orders ends, `None` while it is live; `bytes` is `None` until measured."""

    run: str
    workflow: str
    seq: int
    ended: int | None
    bytes: int | None
    held: bool = False


def leaving(kept: Sequence[Kept], bounds: Bounds) -> list[tuple[str, Dropped]]:
    """Which of `kept` (oldest launch first) have to leave and why: what is too large, then the oldest until all fits.

    More than the bounds may stay: what is pinned or held.
    """
    too_large = [one for one in kept if _too_large(one, bounds)]
    staying = [one for one in kept if not _too_large(one, bounds)]
    pinned = _pinned(staying)
    count, size = len(staying), sum(one.bytes or 0 for one in staying)
    evicted = []
    for one in staying:
        if count <= bounds.runs and size <= bounds.bytes:
            break
        if _may_leave(one) and one.run not in pinned:
            evicted.append(one)
            count, size = count - 1, size - (one.bytes or 0)
    return [*((one.run, Dropped.TOO_LARGE) for one in too_large), *((one.run, Dropped.EVICTED) for one in evicted)]


def _too_large(one: Kept, bounds: Bounds) -> bool:
    return _may_leave(one) and (one.bytes or 0) > bounds.record


def _may_leave(one: Kept) -> bool:
    return one.ended is not None and not one.held


def _pinned(kept: Sequence[Kept]) -> set[str]:
    """By workflow the newest launch, and the last to end, which is what opening the workflow shows (R7)."""
    launched: dict[str, Kept] = {}
    ended: dict[str, Kept] = {}
    for one in kept:
        if one.ended is not None:
            launched[one.workflow] = one
            other = ended.get(one.workflow)
            if other is None or (other.ended or 0) < one.ended:
                ended[one.workflow] = one
    return {one.run for found in (launched, ended) for one in found.values()}


def kept_runs(connection: sqlite3.Connection) -> list[Kept]:
    """Every run whose record is whole, oldest launch first; its cost grows with these, not with history."""
    held = held_runs(connection)
    return [
        Kept(
            run=row[0],
            workflow=row[1],
            seq=row[2],
            ended=row[3],
            bytes=row[4],
            held=row[0] in held,
        )
        for row in connection.execute(
            "SELECT id, workflow, seq, finished_seq, bytes FROM runs WHERE dropped IS NULL ORDER BY seq"
        )
    ]


def held_runs(connection: sqlite3.Connection) -> set[str]:
    """Runs that may not leave now, whatever the bounds say."""
    live = [row[0] for row in connection.execute("SELECT id FROM runs WHERE state='live'")]
    held = _with_what_they_continue(connection, [*live, *runs_with_something_left(connection)])
    owed = connection.execute("SELECT DISTINCT events.run FROM outbox JOIN events USING(seq) WHERE run IS NOT NULL")
    return held | {row[0] for row in owed}


def _with_what_they_continue(connection: sqlite3.Connection, runs: Collection[str]) -> set[str]:
    found: set[str] = set()
    ahead = list(runs)
    while ahead:
        run = ahead.pop()
        if run not in found:
            found.add(run)
            row = connection.execute("SELECT continues FROM runs WHERE id=?", (run,)).fetchone()
            if row is not None and row[0] is not None:
                ahead.append(row[0])
    return found


def unmeasured(connection: sqlite3.Connection, *, limit: int) -> list[str]:
    """The oldest `limit` runs that have ended and whose size nobody has taken."""
    rows = connection.execute(
        "SELECT id FROM runs WHERE dropped IS NULL AND state='finished' AND bytes IS NULL ORDER BY seq LIMIT ?",
        (limit,),
    )
    return [row[0] for row in rows]


def measure(connection: sqlite3.Connection, journals: Mapping[str, int]) -> None:
    """Notes the size of these ended runs: the bytes of their journals as given, and an estimate of their rows."""
    with write(connection):
        for run, size in journals.items():
            (rows,) = connection.execute(_BYTES_OF_ROWS, {"run": run}).fetchone()
            connection.execute("UPDATE runs SET bytes=? WHERE id=? AND dropped IS NULL", (size + rows, run))


# An event is two entries of an index beside its row. Measured on filled records, within a third of the file's growth.
_BYTES_OF_ROWS = (
    "SELECT (SELECT coalesce(sum(length(CAST(data AS BLOB)) + 200), 0) FROM events WHERE run=:run)"
    " + (SELECT 300 * count(*) FROM delegations WHERE run=:run) + (SELECT 300 * count(*) FROM attempts WHERE run=:run)"
    " + (SELECT 150 * count(*) FROM usage WHERE run=:run)"
)
