"""The journals of a run: what its agents printed so far, and what they print while someone looks."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from store.database import data_version, open_reader, unavailable
from store.views import load_run
from tui.commands.reading import watched
from tui.journal_tail import JournalTail, Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store.paths import Places
    from store.run import Run

Stream = Literal["out", "err"]
_STREAMS: tuple[Stream, ...] = ("out", "err")
_TICK_S = 0.05
_WATCH_LOOK_S = 1.0


class Piece(NamedTuple):
    """Something that was printed: a line, or with `raw` whatever bytes came."""

    agent: str
    attempt: int
    stream: Stream
    content: bytes


class Journals:
    """The journals of a run, or of one agent of it, in the order of the workflow."""

    def __init__(self, places: Places, run: Run, agent: str | None) -> None:
        self._places, self._run, self._agent = places, run, agent
        self._tails: dict[tuple[str, int, Stream], JournalTail] = {}
        self.unsettled = False

    def pieces(self, *, follow: bool) -> Iterator[Piece]:
        """Everything printed so far, and with `follow` what comes until it has ended."""
        if not follow:
            yield from self._look()
            return
        connection = open_reader(self._places.record)
        try:
            seen, looked = -1, 0.0
            while True:
                version = data_version(connection)
                if version != seen:
                    seen = version
                    self._run = load_run(connection, self._run.id)
                ended = self._ended()
                yield from self._look()
                if ended:
                    return
                if time.monotonic() - looked >= _WATCH_LOOK_S:
                    looked = time.monotonic()
                    if not watched(self._places):
                        self.unsettled = True
                        return
                time.sleep(_TICK_S)
        except sqlite3.Error as error:
            raise unavailable(self._places.record, error) from error
        finally:
            connection.close()

    def lines(self, *, follow: bool) -> Iterator[Piece]:
        """The same line by line."""
        framing: dict[tuple[str, int, Stream], Lines] = {}
        for piece in self.pieces(follow=follow):
            key = (piece.agent, piece.attempt, piece.stream)
            for line in framing.setdefault(key, Lines()).take(piece.content):
                yield Piece(*key, line)
        for key, lines in framing.items():
            for line in lines.end():
                yield Piece(*key, line)

    def _look(self) -> Iterator[Piece]:
        for delegation in self._run.delegations.values():
            if self._agent not in (None, delegation.name):
                continue
            for attempt in delegation.attempts:
                for stream in _STREAMS:
                    key = (delegation.name, attempt.number, stream)
                    if key not in self._tails:
                        path = self._places.journal(self._run.id, delegation.name, attempt.number, stream)
                        self._tails[key] = JournalTail(path)
                    for chunk in self._tails[key].chunks():
                        yield Piece(*key, chunk)

    def _ended(self) -> bool:
        return not self._run.live if self._agent is None else self._run.delegations[self._agent].final
