"""The log as the record holds it: what happened, in order."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """An event as the record holds it. `data` is decoded JSON."""

    seq: int
    id: str
    at: int
    run: str | None
    agent: str | None
    type: str
    from_state: str | None
    to_state: str | None
    data: dict[str, Any]


def events_of(connection: sqlite3.Connection, run: str, *, after: int = 0) -> Iterator[Stored]:
    """The events of a run in the order of the record, from the one after `after` on."""
    for row in connection.execute(
        "SELECT seq, id, at, run, agent, type, from_state, to_state, data FROM events"
        " WHERE run=? AND seq>? ORDER BY seq",
        (run, after),
    ):
        yield Stored(
            seq=row[0],
            id=row[1],
            at=row[2],
            run=row[3],
            agent=row[4],
            type=row[5],
            from_state=row[6],
            to_state=row[7],
            data=json.loads(row[8]),
        )


def last_seq(connection: sqlite3.Connection) -> int:
    """The number of the newest event; 0 in an empty record."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])
