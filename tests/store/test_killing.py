"""A process that is killed while it records leaves a record in which everything agrees (E2)."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from store.audit import audit_run, run_ids
from store.database import data_version, open_reader, open_writer
from store.log import last_seq

CHILD = Path(__file__).with_name("writing_child.py")
ROUNDS = 30


def until_it_writes(reader: sqlite3.Connection, child: subprocess.Popen[str]) -> None:
    """Returns when the child has committed something; fails when it ended or took longer than ten seconds."""
    seen, deadline = data_version(reader), time.monotonic() + 10
    while data_version(reader) == seen:
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline, "nothing was recorded within ten seconds"
        time.sleep(0.001)


def test_killed_at_any_moment(writer: sqlite3.Connection, path: Path) -> None:
    writer.close()
    chance = random.Random(4711)
    seen = 0
    for _ in range(ROUNDS):
        child = subprocess.Popen(
            [sys.executable, str(CHILD), "record", str(path), str(chance.randrange(1 << 30))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            with closing(open_reader(path)) as reader:
                until_it_writes(reader, child)
                time.sleep(chance.random() * 0.03)
        finally:
            child.kill()
            child.communicate()
        with closing(open_writer(path)) as connection:
            now = last_seq(connection)
            assert now > seen
            agree(connection, after=seen)
            seen = now


def agree(connection: sqlite3.Connection, *, after: int) -> None:
    """Events, tables and outbox of what was recorded after `after` say the same."""
    assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    assert (
        connection.execute("SELECT seq FROM events WHERE seq > ? ORDER BY seq", (after,)).fetchall()
        == connection.execute("SELECT seq FROM outbox WHERE seq > ? ORDER BY seq", (after,)).fetchall()
    )
    touched = {row[0] for row in connection.execute("SELECT DISTINCT run FROM events WHERE seq > ?", (after,))}
    assert touched
    assert touched <= set(run_ids(connection))
    assert [difference for run in touched for difference in audit_run(connection, run)] == []
    orphans = (
        "SELECT run, agent FROM delegations WHERE NOT EXISTS"
        " (SELECT 1 FROM events WHERE run = delegations.run AND agent = delegations.agent)"
    )
    assert connection.execute(orphans).fetchall() == []
