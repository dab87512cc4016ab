"""A run over time: what ran beside what, for how long, where it went wrong; then what happened, moment by moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.log import Stored, events_of
from store.views import load_run
from tui.lines import Span, text_of
from tui.record_reader import RecordReader
from tui.screens.reading import Reading
from tui.text import one_line
from tui.timeline import timeline
from tui.wording import clock, outcome_sentence, short

if TYPE_CHECKING:
    from store.run import Run

_TOLD = {
    "run.launched": "launched",
    "run.paused": "paused",
    "run.unpaused": "goes on",
    "run.draining": "draining: nothing new starts",
    "run.stopping": "asked to stop",
    "run.restored": "restored from the record after it was cut off",
    "run.discarded": "discarded",
}
_ENDS = {
    "delegation.failed": "red",
    "delegation.blocked": "yellow",
    "delegation.stopped": "yellow",
    "delegation.not_started": "dim",
}


class Timeline(Reading):
    """Read once, so that nothing moves under the reader."""

    def __init__(self, run: str, name: str) -> None:
        super().__init__(heading=f"{one_line(name)} over time, run {short(run)}")
        self._run = run
        self.page.empty = "nothing is recorded"

    def text(self) -> Iterable[Span]:
        """The picture, then the moments."""
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            if connection is None:
                return []
            run = load_run(connection, self._run)
            return [*self._picture(run), ("", ""), *self._moments(run, events_of(connection, self._run))]
        except (StoreError, sqlite3.Error) as error:
            return [(one_line(str(error)), "red")]
        finally:
            reader.close()

    def on_resize(self) -> None:
        """Bars are as long as there is room."""
        self.page.show(list(self.text()))

    def _picture(self, run: Run) -> Iterator[Span]:
        yield outcome_sentence(run), "bold"
        yield "", ""
        width = self.page.size.width or self.app.size.width - 2
        for line in timeline(run, self.midwatch.now(), width, ascii_signs=self.midwatch.ascii):
            tones = [tone for text, tone in line if tone not in ("", "dim")]
            yield text_of(line), tones[0] if tones else line[0][1] if len(line) == 1 else ""

    def _moments(self, run: Run, events: Iterator[Stored]) -> Iterator[Span]:
        now = self.midwatch.now()
        for event in events:
            told = _told(run, event)
            if told is not None:
                sentence, tone = told
                yield f"{clock(event.at, now, seconds=True)}  {sentence}", tone


def _told(run: Run, event: Stored) -> Span | None:
    """One event as a sentence; `None` for those that the picture shows."""
    agent = one_line(event.agent or "")
    if event.type in _TOLD:
        return _TOLD[event.type], ""
    if event.type == "run.finished":
        return outcome_sentence(run), "bold"
    if event.type == "wave.started":
        return f"wave {one_line(str(event.data.get('name', '')))} began", "dim"
    if event.type in _ENDS:
        why = event.data.get("detail") or event.data.get("reason") or ""
        verb = event.type.partition(".")[2].replace("_", " ")
        return f"{agent} {verb}" + (f": {one_line(str(why))}" if why else ""), _ENDS[event.type]
    if event.type == "delegation.accepted" and event.data.get("verdict"):
        return f"{agent}: {event.data['verdict']}", "red" if event.data["verdict"] == "rejected" else "green"
    return None
