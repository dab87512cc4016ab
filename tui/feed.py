"""The tail of the record: notices what others committed and says so in one message that may be dropped or replaced."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

from textual.message import Message

from harness.lock import holder
from store.database import data_version, unavailable
from store.errors import StoreError
from store.log import last_seq
from store.paths import Places
from tui.record_reader import RecordReader

LIVE_TICK_S = 0.05
IDLE_TICK_S = 0.25
_WATCH_LOOK_S = 1.0


class News(Message):
    """Something is new in the record, up to event `seq`, or the watch came or went. The truth is in the record."""

    def __init__(self, seq: int, *, watched: bool) -> None:
        super().__init__()
        self.seq = seq
        self.watched = watched

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts."""
        return isinstance(message, News)


class RecordLost(Message):
    """The record cannot be read any more: what was shown stays, and `sentence` says why nothing new comes."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class Feed:
    """Looks every 50 ms while something is live and every 250 ms when nothing is; 3 µs a look.

    A thread of its own, because a look must never wait for the screen nor the screen for a look. After a message it
    says nothing more until `heard` is called, so that none pile up while the screen is busy or suspended.
    """

    def __init__(self, places: Places, tell: Callable[[Message], object]) -> None:
        self._places = places
        self._tell = tell
        self._stop = threading.Event()
        self._heard = threading.Event()
        self._heard.set()
        self._thread = threading.Thread(target=self._run, name="midwatch-feed", daemon=True)
        self.live = False

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def heard(self) -> None:
        """The last message was taken up."""
        self._heard.set()

    def stop(self) -> None:
        """Looks no more; returns when the thread has let the record go."""
        self._stop.set()
        self._heard.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        reader = RecordReader(self._places)
        seen: tuple[int, bool] | None = None
        watched, looks, lost = False, 0, False
        while not self._stop.is_set():
            tick = LIVE_TICK_S if self.live else IDLE_TICK_S
            if looks * tick >= _WATCH_LOOK_S or looks == 0:
                watched, looks = holder(self._places.watch_lock) is not None, 0
            looks += 1
            try:
                connection = reader.connection()
                now = (-1 if connection is None else data_version(connection), watched)
                if now != seen:
                    seen, lost = now, False
                    self._say(News(0 if connection is None else last_seq(connection), watched=watched))
            except (StoreError, sqlite3.Error) as error:
                reader.close()
                seen = None
                if not lost:
                    lost = True
                    told = error if isinstance(error, StoreError) else unavailable(self._places.record, error)
                    self._say(RecordLost(str(told)))
                self._stop.wait(_WATCH_LOOK_S)
            self._stop.wait(tick)
        reader.close()

    def _say(self, message: Message) -> None:
        self._heard.wait()
        if not self._stop.is_set():
            self._heard.clear()
            self._tell(message)
