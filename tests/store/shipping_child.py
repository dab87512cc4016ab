"""A process that ships what it leases, for the tests that race several or kill one.

python shipping_child.py deliver RECORD FILE   appends the id of each event to FILE, durably, then marks it shipped
python shipping_child.py count RECORD          counts each event in the record, once, then marks it shipped
"""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

from store import outbox
from store.database import open_writer
from store.ids import new_id, now_ms
from store.seen import once

LEASE_S = 0.1


def _deliver(path: Path, file: Path) -> None:
    connection, owner = open_writer(path), new_id()
    with file.open("ab", buffering=0) as taken:
        _ready()
        while not _nothing_is_owed(connection):
            for one in outbox.lease(connection, "file", owner, limit=3, seconds=LEASE_S, now=now_ms()):
                taken.write(f"{one.event.id}\n".encode())
                os.fsync(taken.fileno())
                outbox.ship(connection, "file", owner, [one.event.seq])


def _count(path: Path) -> None:
    connection, owner = open_writer(path), new_id()
    _ready()
    while not _nothing_is_owed(connection):
        for one in outbox.lease(connection, "file", owner, limit=3, seconds=LEASE_S, now=now_ms()):
            once(connection, "file", one.event.id, _one_more)
            outbox.ship(connection, "file", owner, [one.event.seq])


def _one_more(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'counted'")


def _nothing_is_owed(connection: sqlite3.Connection) -> bool:
    return outbox.next_due(connection, "file") is None


def _ready() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["deliver", path, file]:
            _deliver(Path(path), Path(file))
        case ["count", path]:
            _count(Path(path))
