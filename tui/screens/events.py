"""The events of an agent, or of a whole run, in the order of the record."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from store.errors import StoreError
from store.log import Stored, events_of
from tui.lines import Span
from tui.record_reader import RecordReader
from tui.screens.reading import Reading
from tui.text import clip, one_line
from tui.wording import clock, short

MOST = 5_000
"""Events that are read; a run has more only when something went round in circles."""
_LONG = frozenset({"plan", "environment", "digest"})
_VALUE = 160


class Events(Reading):
    """Read once, so that nothing moves under the reader."""

    def __init__(self, run: str, name: str, agent: str | None) -> None:
        whose = one_line(name) if agent is None else f"{one_line(agent)} of {one_line(name)}"
        super().__init__(heading=f"Events of {whose}, run {short(run)}", following=True)
        self._run, self._agent = run, agent
        self.page.hanging = 18
        self.page.empty = "nothing is recorded"

    def text(self) -> Iterable[Span]:
        """One line an event."""
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            return [] if connection is None else list(self._lines(events_of(connection, self._run)))
        except (StoreError, sqlite3.Error) as error:
            return [(one_line(str(error)), "red")]
        finally:
            reader.close()

    def _lines(self, events: Iterator[Stored]) -> Iterator[Span]:
        now, shown = self.midwatch.now(), 0
        for event in events:
            if self._agent is not None and event.agent != self._agent:
                continue
            shown += 1
            if shown > MOST:
                yield f"and more; `midwatch events {short(self._run)}` has all", "dim"
                return
            yield _line(event, now, agent=self._agent is None), _tone(event)


def _line(event: Stored, now: int, *, agent: bool) -> str:
    parts = [f"{event.seq:>6}", clock(event.at, now, seconds=True)]
    if agent:
        parts.append(f"{clip(one_line(event.agent or ''), 12):<12}")
    parts.append(f"{event.type:<22}")
    if event.to_state is not None and event.from_state != event.to_state:
        parts.append(f"{event.from_state or 'new'} > {event.to_state}")
    parts += [f"{name}={_short(value)}" for name, value in event.data.items() if name not in _LONG]
    return "  ".join(parts)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clip(one_line(text), _VALUE)


def _tone(event: Stored) -> str:
    if event.type in ("delegation.failed", "delegation.blocked"):
        return "red"
    return "dim" if event.type.startswith("usage.") else ""
