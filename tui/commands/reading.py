"""Reading the record for one answer. Never starts a watch; a record that does not exist yet is an empty one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from store.database import open_reader, unavailable
from store.errors import RunNotFound
from store.paths import Places
from store.views import resolve_run
from tui.errors import NotFound


@contextmanager
def reading(places: Places) -> Iterator[sqlite3.Connection | None]:
    """A connection on which the whole block sees one moment of the record; `None` when there is no record yet.

    Raises `StoreError` in place of whatever SQLite says.
    """
    if not places.record.exists():
        yield None
        return
    connection = open_reader(places.record)
    try:
        connection.execute("BEGIN")
        yield connection
    except sqlite3.Error as error:
        raise unavailable(places.record, error) from error
    finally:
        connection.close()


@contextmanager
def reading_run(places: Places, reference: str) -> Iterator[tuple[sqlite3.Connection, str]]:
    """The same, with the whole id of the run that `reference` means; raises `NotFound` when there is none."""
    with reading(places) as connection:
        if connection is None:
            raise _not_found(reference)
        try:
            run = resolve_run(connection, reference)
        except RunNotFound:
            raise _not_found(reference) from None
        yield connection, run


def _not_found(reference: str) -> NotFound:
    if reference == "@":
        return NotFound("there are no runs yet; `midwatch run WORKFLOW` launches one")
    return NotFound(str(RunNotFound(reference)))


def watched(places: Places) -> bool:
    """Whether a watch lives; without one, a run that is recorded as live is unsettled."""
    from harness.lock import holder

    return holder(places.watch_lock) is not None
