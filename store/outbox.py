"""Committed events on their way out: each consumer gets its own rows, under a lease, at least once (E4, E7).

A row without a consumer was committed and not handed out yet. `hand_out` puts a row for each consumer that wants the
event in its place, so with nobody listening nothing piles up. A consumer's rows come oldest first; one that failed is
leased to nobody until its next try and holds up no other, so what is tried again arrives later than what came after it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from store.database import write
from store.log import Stored

MOST_TRIES = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Leased:
    """An event that is ours to ship until the lease ends. `tries` counts this one, `workflow` is its run's label."""

    event: Stored
    tries: int
    workflow: str | None
    folder: str | None


def waits_to_be_handed_out(connection: sqlite3.Connection) -> bool:
    """Whether an event was committed and not handed out yet."""
    return connection.execute("SELECT 1 FROM outbox WHERE consumer='' LIMIT 1").fetchone() is not None


def hand_out(connection: sqlite3.Connection, wanting: Mapping[str, Collection[str]], *, limit: int, now: int) -> int:
    """How many events, of the oldest `limit`, were handed out now: to each consumer those of the types it wants.

    Rows of a consumer that is not among `wanting` any more become dead letters: nothing that was owed goes unsaid.
    """
    with write(connection):
        for (consumer,) in connection.execute("SELECT DISTINCT consumer FROM outbox WHERE consumer <> ''").fetchall():
            if consumer not in wanting:
                _bury_all(connection, consumer, now)
        rows = connection.execute(
            "SELECT outbox.seq, events.type FROM outbox JOIN events USING(seq) WHERE consumer='' ORDER BY seq LIMIT ?",
            (limit,),
        ).fetchall()
        connection.executemany(
            "INSERT OR IGNORE INTO outbox(consumer, seq) VALUES(?, ?)",
            [(consumer, seq) for seq, kind in rows for consumer, types in wanting.items() if kind in types],
        )
        connection.executemany("DELETE FROM outbox WHERE consumer='' AND seq=?", [(seq,) for seq, _ in rows])
    return len(rows)


def next_due(connection: sqlite3.Connection, consumer: str) -> int | None:
    """When (ms) the next row of this consumer may be leased, 0 for at once; `None` when it is owed nothing."""
    row = connection.execute("SELECT min(coalesce(leased_until, 0)) FROM outbox WHERE consumer=?", (consumer,))
    found: int | None = row.fetchone()[0]
    return found


def lease(
    connection: sqlite3.Connection, consumer: str, owner: str, *, limit: int, seconds: float, now: int
) -> list[Leased]:
    """The oldest `limit` rows of this consumer that nobody holds, now held by `owner` for `seconds`; `now` is ms.

    Being leased counts as a try, so that an event at which the whole program dies does not come back for ever.
    """
    with write(connection):
        free = (consumer, now)
        for (seq,) in connection.execute(
            f"SELECT seq FROM outbox WHERE {_FREE} AND tries >= ?", (*free, MOST_TRIES)
        ).fetchall():
            _bury(connection, consumer, seq, f"it was taken up {MOST_TRIES} times and never seen through", now)
        rows = connection.execute(
            "SELECT outbox.seq, events.id, events.at, events.run, agent, type, from_state, to_state, data, tries,"
            " runs.name, runs.folder FROM outbox JOIN events USING(seq) LEFT JOIN runs ON runs.id = events.run"
            f" WHERE {_FREE} ORDER BY outbox.seq LIMIT ?",
            (*free, limit),
        ).fetchall()
        until = now + int(seconds * 1000)
        connection.executemany(
            "UPDATE outbox SET owner=?, leased_until=?, tries=tries+1 WHERE consumer=? AND seq=?",
            [(owner, until, consumer, row[0]) for row in rows],
        )
    return [
        Leased(
            event=Stored(
                seq=row[0],
                id=row[1],
                at=row[2],
                run=row[3],
                agent=row[4],
                type=row[5],
                from_state=row[6],
                to_state=row[7],
                data=json.loads(row[8]),
            ),
            tries=row[9] + 1,
            workflow=row[10],
            folder=row[11],
        )
        for row in rows
    ]


_FREE = "consumer=? AND coalesce(leased_until, 0) <= ?"
_OURS = "consumer=? AND owner=? AND seq=?"


def ship(connection: sqlite3.Connection, consumer: str, owner: str, seqs: Sequence[int]) -> int:
    """How many of these rows were still `owner`'s; the consumer has their events, so they are gone."""
    with write(connection):
        return connection.executemany(
            f"DELETE FROM outbox WHERE {_OURS}", [(consumer, owner, seq) for seq in seqs]
        ).rowcount


def release(connection: sqlite3.Connection, consumer: str, owner: str, seqs: Sequence[int]) -> None:
    """Gives back what was leased and not tried: it is free at once, and no try is counted."""
    with write(connection):
        connection.executemany(
            f"UPDATE outbox SET owner=NULL, leased_until=NULL, tries=tries-1 WHERE {_OURS}",
            [(consumer, owner, seq) for seq in seqs],
        )


def fail(
    connection: sqlite3.Connection, consumer: str, owner: str, seq: int, why: str, *, now: int, again_at: int
) -> bool:
    """Whether it was given up: the last of `MOST_TRIES` makes it a dead letter; else it waits until `again_at` (ms)."""
    with write(connection):
        row = connection.execute(f"SELECT tries FROM outbox WHERE {_OURS}", (consumer, owner, seq)).fetchone()
        if row is None:
            return False  # the lease had ended and somebody else has it
        if row[0] >= MOST_TRIES:
            _bury(connection, consumer, seq, why, now)
            return True
        connection.execute(
            f"UPDATE outbox SET owner=NULL, leased_until=? WHERE {_OURS}", (again_at, consumer, owner, seq)
        )
        return False


def _bury_all(connection: sqlite3.Connection, consumer: str, now: int) -> None:
    for (seq,) in connection.execute("SELECT seq FROM outbox WHERE consumer=?", (consumer,)).fetchall():
        _bury(connection, consumer, seq, "the settings name no such consumer any more", now)


def _bury(connection: sqlite3.Connection, consumer: str, seq: int, why: str, now: int) -> None:
    """Makes the row a dead letter, named by event and consumer; one that was tried again and failed is open again."""
    connection.execute(
        "INSERT INTO dead_letters(id, at, kind, consumer, event, run, agent, type, data, why)"
        " SELECT id || '/' || ?1, ?2, 'undelivered', ?1, seq, run, agent, type, data, ?3 FROM events WHERE seq=?4"
        " ON CONFLICT(id) DO UPDATE SET state='open', at=excluded.at, why=excluded.why",
        (consumer, now, why, seq),
    )
    connection.execute("DELETE FROM outbox WHERE consumer=? AND seq=?", (consumer, seq))
