"""Idempotent consumption: that an event was seen commits in the transaction of its effect (E5).

For consumers whose effect is in the record. One whose effect is elsewhere gets the event's id as an idempotency key.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from store.database import write
from store.ids import now_ms


def once(
    connection: sqlite3.Connection, consumer: str, event: str, effect: Callable[[sqlite3.Connection], object]
) -> bool:
    """Whether `effect` was done now: not when this consumer has seen the event (its id) before.

    `effect` only uses the connection it is given, and opens no transaction. When it raises, the event is unseen again.
    """
    with write(connection):
        seen = connection.execute(
            "INSERT INTO seen(event, consumer, at) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", (event, consumer, now_ms())
        )
        if seen.rowcount == 0:
            return False
        effect(connection)
        return True
