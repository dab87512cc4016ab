"""Opening the record, and the one kind of transaction it is written in: the only file that touches the raw connection.

A writer is the watch's alone; a reader sees committed rows and can change nothing; a requester may only put rows
in the inbox (the rest is kept by convention and by the triggers).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.errors import RecordNotReady, RecordTooNew, RecordUnavailable

SCHEMA_VERSION = 1
BUSY_MS = 5_000
PREPARED_WITHIN_S = 3.0  # a watch that has just created the file is preparing it


def _connect(path: Path, *, mode: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=BUSY_MS / 1000,
            check_same_thread=False,
        )
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA recursive_triggers=ON")  # else INSERT OR REPLACE gets past the triggers
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    return connection


def unavailable(path: Path, error: sqlite3.Error) -> RecordUnavailable:
    """The sentence for what SQLite said about this record."""
    text = str(error)
    if "disk is full" in text:
        what = "there is no space left for it; free some and try again"
    elif "readonly" in text:
        what = "it cannot be written; check the owner and mode of the folder, and whether the disk is read-only"
    elif "malformed" in text or "not a database" in text:
        what = "it is damaged; move it aside to start a new one, it may still be readable with the sqlite3 tool"
    elif "unable to open" in text:
        what = "it cannot be opened; check the owner and mode of the folder"
    elif "locked" in text:
        what = f"another process holds it for longer than {BUSY_MS // 1000} s; try again"
    else:
        what = text
    return RecordUnavailable(f"the record {path}: {what}")


def open_writer(path: Path) -> sqlite3.Connection:
    """The watch's connection: WAL, and every commit on the disk before it returns. Creates the file (0600)."""
    try:
        path.touch(mode=0o600, exist_ok=True)
    except OSError as error:
        raise _out_of_reach(path, error) from error
    connection = _connect(path, mode="rw")
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA wal_autocheckpoint=1000")
    except sqlite3.Error as error:
        connection.close()
        raise unavailable(path, error) from error
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:  # SQLite itself does not wait for this lock
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that can only read; raises `RecordNotReady` when there is nothing to read yet."""
    return _open_prepared(path, mode="ro", pragma="query_only=ON")


def open_requester(path: Path) -> sqlite3.Connection:
    """A connection for putting requests in the inbox, durable when it returns."""
    return _open_prepared(path, mode="rw", pragma="synchronous=FULL")


def _open_prepared(path: Path, *, mode: str, pragma: str) -> sqlite3.Connection:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise RecordNotReady(f"there is no record at {path} yet") from None
    except OSError as error:
        raise _out_of_reach(path, error) from error
    connection = _connect(path, mode=mode)
    try:
        _expect_schema(connection, path)
        connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error as error:
        connection.close()
        raise unavailable(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _out_of_reach(path: Path, error: OSError) -> RecordUnavailable:
    return RecordUnavailable(f"the record {path}: {error.strerror or error}; check the owner and mode of the folder")


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the newest migration that was applied; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _expect_schema(connection: sqlite3.Connection, path: Path) -> None:
    deadline = time.monotonic() + PREPARED_WITHIN_S
    try:
        while (version := schema_version(connection)) == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    refuse_newer(version, path)
    if version < SCHEMA_VERSION:
        raise RecordNotReady(f"the record {path} is not prepared yet; it is when the watch has started")


def refuse_newer(version: int, path: Path) -> None:
    """Raises `RecordTooNew` when the record was written by a later midwatch than this one."""
    if version > SCHEMA_VERSION:
        raise RecordTooNew(
            f"the record {path} was written by a later midwatch (schema {version}, this one knows {SCHEMA_VERSION}); "
            "update midwatch, or set MIDWATCH_HOME to keep another record"
        )


@contextmanager
def write(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One transaction that holds the write lock from its first statement: all of the block, or nothing of it.

    `BEGIN IMMEDIATE`, because a deferred transaction that upgrades fails at once when another writer was there first.
    The commit stands inside the `try`: a commit that fails is rolled back too. Never nested.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """The block reads the record as it stood at its first statement, whatever others commit meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes when another connection committed; 3 µs a look."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
