"""Nothing updates or deletes an event; only a whole old run leaves (E3)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from story import delegated

from store import events as e
from store.database import write
from store.record import Batch, record


@pytest.fixture(params=["the watch", "any other program"])
def connection(writer: sqlite3.Connection, path: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    """A record of two runs and a hold on everything, opened by us or by somebody without our pragmas."""
    record(writer, [Batch(events=(*delegated("r", "api"), *delegated("s", "api"), e.HarnessPaused()))])
    if request.param == "the watch":
        yield writer
    else:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            yield other


def events(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT * FROM events ORDER BY seq").fetchall()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET data='{}'",
        "UPDATE events SET seq=seq+100",
        "UPDATE OR REPLACE events SET id=(SELECT id FROM events WHERE seq=1) WHERE seq=2",
        "DELETE FROM events",
        "DELETE FROM events WHERE run='r'",
        "DELETE FROM events WHERE run IS NULL",
    ],
)
def test_an_event_is_neither_changed_nor_deleted(connection: sqlite3.Connection, statement: str) -> None:
    stands = events(connection)
    with pytest.raises(sqlite3.IntegrityError, match="an event is"):
        connection.execute(statement)
    assert events(connection) == stands


@pytest.mark.parametrize(
    "values",
    [
        "SELECT 1, 'new', 0, 'r', NULL, 'run.paused', NULL, NULL, '{}'",
        "SELECT 9, id, 0, run, agent, type, '', '', data FROM events WHERE seq=1",
    ],
    ids=["the number of another", "the id of another"],
)
def test_an_event_is_not_replaced(writer: sqlite3.Connection, values: str) -> None:
    record(writer, [Batch(events=delegated("r", "api"))])
    stands = events(writer)
    with pytest.raises(sqlite3.IntegrityError, match="an event is"):
        writer.execute(f"INSERT OR REPLACE INTO events {values}")
    assert events(writer) == stands


def test_a_run_leaves_whole(connection: sqlite3.Connection) -> None:
    with write(connection):
        connection.execute("INSERT INTO evicting VALUES('r')")
        connection.execute("DELETE FROM events WHERE run='r'")
        connection.execute("DELETE FROM evicting")
    assert [row[3] for row in events(connection)] == ["s", "s", None]
    with pytest.raises(sqlite3.IntegrityError, match="an event is"):
        connection.execute("DELETE FROM events WHERE run='s'")


def test_the_leave_of_one_run_is_not_that_of_another(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO evicting VALUES('r')")
    for statement in ("DELETE FROM events WHERE run='s'", "DELETE FROM events", "UPDATE events SET at=1 WHERE run='r'"):
        with pytest.raises(sqlite3.IntegrityError, match="an event is"):
            connection.execute(statement)
    assert len(events(connection)) == 5
