"""The schema is what we think, and moves forward whole or not at all."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from story import launched

from store import database, migrations
from store.audit import audit_run
from store.database import open_writer, schema_version
from store.errors import RecordUnavailable
from store.migrations import migrate
from store.record import Batch, record
from store.views import live_runs, meta

SCHEMA = Path(__file__).with_name("schema.sql")


def schema(connection: sqlite3.Connection) -> str:
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name")
    return "".join(f"{row[0]};\n\n" for row in rows)


def test_the_schema_is_the_one_that_was_looked_at(writer: sqlite3.Connection) -> None:
    """A change of the schema shows in this file too, where it is read once more; records in use need a new step."""
    assert schema(writer) == SCHEMA.read_text(encoding="utf-8"), "if it is meant, this is what belongs into schema.sql"


def test_every_table_is_strict(writer: sqlite3.Connection) -> None:
    tables = writer.execute(
        "SELECT name, strict FROM pragma_table_list WHERE schema='main' AND name NOT LIKE 'sqlite%'"
    )
    assert {name for name, strict in tables if not strict} == set()
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER column"):
        writer.execute("INSERT INTO outbox(seq, tries) VALUES(1, 'many')")


def test_the_triggers_that_keep_events_are_there(writer: sqlite3.Connection) -> None:
    triggers = writer.execute("SELECT name FROM sqlite_schema WHERE type='trigger' AND tbl_name='events' ORDER BY name")
    assert triggers.fetchall() == [("events_are_never_changed",), ("events_leave_with_their_run",)]


def test_a_number_of_an_event_is_never_given_twice(writer: sqlite3.Connection) -> None:
    """Whoever reads from 'the last that I saw' on must not miss what came after an eviction."""
    record(writer, [Batch(events=(launched("r"),))])
    writer.execute("INSERT INTO evicting VALUES('r')")
    writer.execute("DELETE FROM events")
    record(writer, [Batch(events=(launched("s"),))])
    assert writer.execute("SELECT seq FROM events").fetchall() == [(2,)]


def test_a_record_is_made_once(writer: sqlite3.Connection, path: Path) -> None:
    born = meta(writer, "record"), meta(writer, "created_at")
    assert None not in born
    assert meta(writer, "machine") == "this-machine"
    migrate(writer, path, machine="another-machine")
    assert (meta(writer, "record"), meta(writer, "created_at")) == born
    assert meta(writer, "machine") == "this-machine"


def test_two_records_are_told_apart(tmp_path: Path) -> None:
    ids = set()
    for name in ("one.db", "other.db"):
        with closing(open_writer(tmp_path / name)) as connection:
            migrate(connection, tmp_path / name, machine="this-machine")
            ids.add(meta(connection, "record"))
    assert len(ids) == 2


@pytest.fixture
def next_step(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A later midwatch, whose schema has one step more."""
    later = database.SCHEMA_VERSION + 1
    monkeypatch.setattr(database, "SCHEMA_VERSION", later)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", later)
    return monkeypatch


def test_a_step_puts_a_copy_aside_first(writer: sqlite3.Connection, path: Path, next_step: pytest.MonkeyPatch) -> None:
    record(writer, [Batch(events=(launched("r"),))])
    was = schema(writer), list(writer.iterdump())
    step = "CREATE TABLE later(key TEXT PRIMARY KEY) STRICT; INSERT INTO later VALUES('there');"
    next_step.setattr(migrations, "_STEPS", (*migrations._STEPS, step))
    migrate(writer, path, machine="this-machine")
    assert schema_version(writer) == database.SCHEMA_VERSION
    assert writer.execute("SELECT key FROM later").fetchall() == [("there",)]
    assert [line.id for line in live_runs(writer)] == ["r"]
    copy = path.with_name(f"record.db.before-{database.SCHEMA_VERSION}")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as before:
        assert (schema(before), list(before.iterdump())) == was
        assert schema_version(before) == database.SCHEMA_VERSION - 1


def test_a_step_that_fails_leaves_the_record_as_it_was(
    writer: sqlite3.Connection, path: Path, next_step: pytest.MonkeyPatch
) -> None:
    record(writer, [Batch(events=(launched("r"),))])
    was = list(writer.iterdump())
    step = "CREATE TABLE later(key TEXT) STRICT; DROP TRIGGER events_are_never_changed; INSERT INTO nowhere VALUES(1);"
    next_step.setattr(migrations, "_STEPS", (*migrations._STEPS, step))
    with pytest.raises(RecordUnavailable, match="no such table: nowhere"):
        migrate(writer, path, machine="this-machine")
    assert list(writer.iterdump()) == was
    assert schema_version(writer) == database.SCHEMA_VERSION - 1
    assert audit_run(writer, "r") == []
