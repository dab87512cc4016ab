"""Following a run in the record: what is new, as soon as it is committed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator

from harness.lock import holder
from harness.requests import ensure_watch
from store.database import data_version, open_reader, unavailable
from store.log import Stored, events_of
from store.paths import Places
from store.run import Run
from store.views import load_run

TICK_S = 0.05
_WATCH_LOOK_S = 1.0


def follow(places: Places, run: str, *, after: int = 0) -> Iterator[list[Stored]]:
    """The events of a run after `after`, those of one look together, up to its end; for whoever launched it.

    Should its watch be gone, another is started, which settles the run. Raises `StoreError` and `WatchError`.
    """
    connection = open_reader(places.record)
    try:
        seen, looked = -1, time.monotonic()
        while True:
            version = data_version(connection)
            if version != seen:
                seen = version
                news = list(events_of(connection, run, after=after))
                if news:
                    after = news[-1].seq
                    yield news
                if any(event.type == "run.finished" for event in news):
                    return
            time.sleep(TICK_S)
            if time.monotonic() - looked >= _WATCH_LOOK_S:
                looked = time.monotonic()
                if holder(places.watch_lock) is None:
                    ensure_watch(places)
    except sqlite3.Error as error:
        raise unavailable(places.record, error) from error
    finally:
        connection.close()


def wait_for(places: Places, run: str, reached: Callable[[Run], bool], seconds: float) -> bool:
    """Whether the run came to where `reached` says within so many seconds."""
    connection = open_reader(places.record)
    deadline = time.monotonic() + seconds
    try:
        seen = -1
        while True:
            version = data_version(connection)
            if version != seen:
                seen = version
                if reached(load_run(connection, run)):
                    return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(TICK_S)
    except sqlite3.Error as error:
        raise unavailable(places.record, error) from error
    finally:
        connection.close()
