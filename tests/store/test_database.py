"""Opening the record, and what a person is told when that cannot be done."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from story import launched

from store import database, inbox
from store.database import (
    data_version,
    open_reader,
    open_requester,
    open_writer,
    snapshot,
    unavailable,
    write,
)
from store.errors import RecordNotReady, RecordTooNew, RecordUnavailable
from store.migrations import migrate
from store.record import Batch, record
from store.views import live_runs

ROOT = Path(__file__).parents[2]
NOBODY = 65534


def runs(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM runs").fetchone()[0])


def test_only_two_files_touch_the_raw_connection() -> None:
    """sqlite-utils commits on its own through `.conn`, and a bare `sqlite3.connect` lacks our pragmas."""
    sources = {
        source.relative_to(ROOT).as_posix(): source.read_text(encoding="utf-8")
        for room in ("store", "harness", "tui")
        for source in (ROOT / room).rglob("*.py")
    }
    assert {
        name for name, text in sources.items() if re.search(r"sqlite3\s*\.\s*connect\b|import connect\b", text)
    } == {
        "store/database.py",
        "store/migrations.py",
    }
    assert {name for name, text in sources.items() if re.search(r"\.conn\b|with [\w.]*conn(ection)?:", text)} == set()
    assert {name for name, text in sources.items() if re.search(r"\bsqlite_utils\b", text)} == {"store/migrations.py"}


def test_every_commit_of_the_watch_is_on_the_disk_before_it_returns(writer: sqlite3.Connection) -> None:
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers", "busy_timeout")
    assert [writer.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas] == ["wal", 2, 1, 1, 5000]


def test_the_record_is_for_this_user_alone(writer: sqlite3.Connection, path: Path) -> None:
    record(writer, [Batch(events=(launched("r"),))])
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"record.db": 0o600, "record.db-wal": 0o600, "record.db-shm": 0o600}


def test_a_reader_can_change_nothing(reader: sqlite3.Connection) -> None:
    for statement in ("DELETE FROM runs", "INSERT INTO evicting VALUES('r')", "DROP TABLE events"):
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute(statement)


def test_a_reader_sees_what_was_committed_and_notices_it(
    writer: sqlite3.Connection, reader: sqlite3.Connection
) -> None:
    before = data_version(reader)
    with write(writer):
        writer.execute("INSERT INTO meta VALUES('key', 'value')")
        assert reader.execute("SELECT * FROM meta WHERE key='key'").fetchall() == []
        assert data_version(reader) == before
    assert data_version(reader) != before
    assert reader.execute("SELECT value FROM meta WHERE key='key'").fetchall() == [("value",)]


def test_a_reader_that_comes_when_the_watch_has_left(writer: sqlite3.Connection, path: Path) -> None:
    record(writer, [Batch(events=(launched("r"),))])
    writer.close()
    with closing(open_reader(path)) as reader:
        assert [line.id for line in live_runs(reader)] == ["r"]


def test_a_snapshot_is_one_moment(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    with snapshot(reader):
        assert runs(reader) == 0
        record(writer, [Batch(events=(launched("r"),))])
        with snapshot(reader):
            assert runs(reader) == 0
    assert runs(reader) == 1


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, GeneratorExit])
def test_a_transaction_that_does_not_end_well_leaves_nothing(
    writer: sqlite3.Connection, error: type[BaseException]
) -> None:
    with pytest.raises(error), write(writer):
        writer.execute("INSERT INTO meta VALUES('key', 'value')")
        raise error
    assert not writer.in_transaction
    assert writer.execute("SELECT * FROM meta WHERE key='key'").fetchall() == []


def test_transactions_do_not_nest(writer: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"), write(writer):
        writer.execute("INSERT INTO meta VALUES('key', 'value')")
        with write(writer):
            pass
    assert writer.execute("SELECT * FROM meta WHERE key='key'").fetchall() == []


def test_another_process_that_holds_the_record_is_named_as_the_cause(writer: sqlite3.Connection, path: Path) -> None:
    with closing(open_writer(path)) as other, write(other):
        writer.execute("PRAGMA busy_timeout=0")
        with pytest.raises(sqlite3.OperationalError) as caught:
            record(writer, [Batch(events=(launched("r"),))])
    assert "another process holds it" in str(unavailable(path, caught.value))


@pytest.mark.parametrize("opens", [open_reader, open_requester])
class TestNotReady:
    """What a reader and a requester say before the watch has made the record; they make nothing themselves."""

    def test_missing(self, path: Path, opens: type) -> None:
        with pytest.raises(RecordNotReady, match="no record"):
            opens(path)
        assert not path.exists()

    def test_empty(self, path: Path, opens: type, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database, "PREPARED_WITHIN_S", 0)
        path.touch()
        with pytest.raises(RecordNotReady, match="not prepared"):
            opens(path)

    def test_newer(self, writer: sqlite3.Connection, path: Path, opens: type) -> None:
        writer.execute("PRAGMA user_version=999")
        with pytest.raises(RecordTooNew, match=r"999.*update midwatch"):
            opens(path)

    def test_damaged(self, path: Path, opens: type) -> None:
        path.write_bytes(b"this is no database at all" * 500)
        with pytest.raises(RecordUnavailable, match=f"{path}.*damaged"):
            opens(path)


def test_the_watch_does_not_touch_a_newer_record(writer: sqlite3.Connection, path: Path) -> None:
    writer.execute("PRAGMA user_version=999")
    writer.close()
    with closing(open_writer(path)) as later:
        with pytest.raises(RecordTooNew):
            migrate(later, path, machine="this-machine")
        assert later.execute("PRAGMA user_version").fetchone() == (999,)


def test_the_watch_says_that_a_record_is_damaged(path: Path) -> None:
    content = b"this is no database at all" * 500
    path.write_bytes(content)
    with pytest.raises(RecordUnavailable, match="damaged"):
        open_writer(path)
    assert path.read_bytes() == content


def test_a_page_that_was_overwritten(writer: sqlite3.Connection, path: Path) -> None:
    record(writer, [Batch(events=(launched(),)) for _ in range(50)])
    writer.close()
    with path.open("r+b") as file:
        half = path.stat().st_size // 2
        file.seek(half)
        file.write(b"\xff" * half)
    with closing(open_writer(path)) as again, pytest.raises(sqlite3.DatabaseError) as caught:
        record(again, [Batch(events=(launched("r"),))])
    assert "damaged" in str(unavailable(path, caught.value))


@pytest.mark.parametrize("opening", [open_reader, open_requester])
def test_whatever_is_opened_says_that_its_schema_is_damaged(
    writer: sqlite3.Connection, path: Path, opening: Callable[[Path], sqlite3.Connection]
) -> None:
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xff" * (size - 2 * 4096))
    with pytest.raises((RecordUnavailable, sqlite3.DatabaseError)) as caught, closing(opening(path)) as connection:
        connection.execute("SELECT * FROM runs")
    told = caught.value if isinstance(caught.value, RecordUnavailable) else unavailable(path, caught.value)
    assert "damaged" in str(told)
    assert opening is open_reader or isinstance(caught.value, RecordUnavailable)


def test_a_reader_waits_for_a_watch_that_is_just_making_the_record(path: Path) -> None:
    path.touch()

    def make() -> None:
        with closing(open_writer(path)) as connection:
            migrate(connection, path, machine="this-machine")

    thread = threading.Thread(target=make)
    thread.start()
    with closing(open_reader(path)) as reader:
        assert runs(reader) == 0
    thread.join()


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder whose modes a test may take away: outside root's own, so that anybody may come this far."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o700)


class As:
    """Acts as somebody for whom the modes of files count, if this is root."""

    def __enter__(self) -> None:
        self.was = os.geteuid()
        if self.was == 0:
            os.seteuid(NOBODY)

    def __exit__(self, *_: object) -> None:
        os.seteuid(self.was)


def test_a_folder_in_which_nothing_can_be_made(read_only_folder: Path) -> None:
    read_only_folder.chmod(0o555)
    with As(), pytest.raises(RecordUnavailable, match="owner and mode of the folder"):
        open_writer(read_only_folder / "record.db")


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_record_that_cannot_be_written(read_only_folder: Path, mode: int) -> None:
    path = read_only_folder / "record.db"
    with closing(open_writer(path)) as connection:
        migrate(connection, path, machine="this-machine")
    path.chmod(mode)
    read_only_folder.chmod(0o555)
    with As(), pytest.raises(RecordUnavailable, match=r"check the owner and mode"):
        open_writer(path)
    with As(), pytest.raises(RecordUnavailable, match=r"check the owner and mode"):
        open_requester(path)


def test_a_folder_that_cannot_be_entered(read_only_folder: Path) -> None:
    path = read_only_folder / "record.db"
    path.touch()
    read_only_folder.chmod(0o000)
    for opens in (open_reader, open_requester, open_writer):
        with As(), pytest.raises(RecordUnavailable, match="check the owner and mode"):
            opens(path)


def test_reading_where_nothing_can_be_written(read_only_folder: Path) -> None:
    """SQLite needs its two files beside the record to read it: either it can, or the person is told what to do."""
    path = read_only_folder / "record.db"
    with closing(open_writer(path)) as connection:
        migrate(connection, path, machine="this-machine")
        record(connection, [Batch(events=(launched("r"),))])
    path.chmod(0o444)
    read_only_folder.chmod(0o555)
    with As(), pytest.raises(RecordUnavailable, match="check the owner and mode"):
        open_reader(path)


def test_a_requester_leaves_its_request_for_a_later_watch(writer: sqlite3.Connection, path: Path) -> None:
    with closing(open_requester(path)) as requester:
        assert requester.execute("PRAGMA synchronous").fetchone() == (2,)
        inbox.put(requester, "stop", {"run": "r"}, expires=False)
    writer.close()
    with closing(open_reader(path)) as reader:
        assert [request.verb for request in inbox.waiting(reader)] == ["stop"]
