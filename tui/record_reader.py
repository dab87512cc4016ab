"""The screen's own connection to the record, which may not be there yet."""

from __future__ import annotations

import sqlite3

from store.database import open_reader
from store.errors import RecordNotReady
from store.paths import Places


class RecordReader:
    """Opens the record as soon as there is one. One for each thread that reads."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._connection: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection | None:
        """The connection; `None` while there is no record. Raises `StoreError` when it cannot or must not be read."""
        if self._connection is None:
            try:
                self._connection = open_reader(self._places.record)
            except RecordNotReady:
                return None
        return self._connection

    def check(self) -> None:
        """Raises `StoreError` when there is a record that cannot or must not be read."""
        self.connection()
        self.close()

    def close(self) -> None:
        """Lets the record go; the next question opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
