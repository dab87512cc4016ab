"""A record of its own for each test."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from store.database import open_reader, open_writer
from store.migrations import migrate

settings.register_profile("untimed", deadline=None)  # how long an example takes says nothing on a shared machine
settings.load_profile("untimed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the record of this test lies; nothing is there yet."""
    return tmp_path / "record.db"


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    """The watch's connection to a fresh record."""
    connection = open_writer(path)
    migrate(connection, path, machine="this-machine")
    yield connection
    connection.close()


@pytest.fixture
def reader(writer: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """A second connection, as a screen has one."""
    connection = open_reader(path)
    yield connection
    connection.close()
