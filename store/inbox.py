"""Requests: durable rows that a person's terminal puts in and the watch answers in the transaction of their effect.

What stops or holds something waits for ever; what starts or allows something expires unless a watch accepts it in
time, so that nothing pressed before a reboot may start after it (R22).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.database import write
from store.ids import new_id, now_ms

EXPIRES_AFTER_MS = 30_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One thing that a person asked for. `state`: waiting, handled, refused or expired."""

    id: str
    at: int
    verb: str
    body: Mapping[str, Any]
    expires_at: int | None = None
    state: str = "waiting"
    answer: Mapping[str, Any] | None = None


def put(
    connection: sqlite3.Connection,
    verb: str,
    body: Mapping[str, Any],
    *,
    expires: bool,
    id: str | None = None,  # noqa: A002  # the column's own name
) -> str:
    """The id of a request that is now durable. The same `id` again is the same request, not a second one."""
    request_id, at = id or new_id(), now_ms()
    with write(connection):
        connection.execute(
            "INSERT OR IGNORE INTO inbox(id, at, verb, body, expires_at) VALUES(?,?,?,?,?)",
            (
                request_id,
                at,
                verb,
                json.dumps(dict(body)),
                at + EXPIRES_AFTER_MS if expires else None,
            ),
        )
    return request_id


def get(connection: sqlite3.Connection, request_id: str) -> Request | None:
    """The request with that id, answered or not."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM inbox WHERE id=?", (request_id,)).fetchone()
    return None if row is None else _request(row)


def waiting(connection: sqlite3.Connection) -> list[Request]:
    """Every request that nobody has answered, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM inbox WHERE state='waiting' ORDER BY seq")
    return [_request(row) for row in rows]


_COLUMNS = "id, at, verb, body, expires_at, state, answer"


def _request(row: tuple[Any, ...]) -> Request:
    return Request(
        id=row[0],
        at=row[1],
        verb=row[2],
        body=json.loads(row[3]),
        expires_at=row[4],
        state=row[5],
        answer=None if row[6] is None else json.loads(row[6]),
    )
