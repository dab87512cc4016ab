"""Where words stand in what agents printed; a place leads to that line of that output."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from store.errors import StoreError
from tui.actions import bindings
from tui.aside import aside
from tui.lines import Cell, Line, row
from tui.record_reader import RecordReader
from tui.run_words import RunWords
from tui.search import Hit, search
from tui.text import cells, one_line
from tui.widgets.footer import Footer
from tui.widgets.rows import Rows
from tui.wording import clock, counted, short

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from store.paths import Places
    from store.views import RunLine
    from tui.midwatch import Midwatch

MOST = 500
_AT_ONCE = 50
_KEYS = (("enter", "go there"), ("esc", "back"))
_AGENT = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a person wants to be on the main screen: a run, and perhaps a line of what an agent of it printed."""

    run: str
    workflow: str
    agent: str | None = None
    attempt: int = 0
    line: int = 0
    words: str = ""
    """What stands in that line."""


class HitRows(Rows[Hit]):
    """One line a hit."""

    _agents = 0
    heard = ""

    def key_of(self, item: Hit) -> Hashable:
        """The place."""
        return item.source, item.line

    def text_of(self, item: Hit) -> str:
        """Where and what."""
        return f"{item.run.name} {item.run.id} {item.source.agent} {item.text}"

    def measure(self, items: Sequence[Hit]) -> None:
        """Agents stand below one another."""
        self._agents = min(_AGENT, max(cells(one_line(one.source.agent)) for one in items))

    def line_of(self, item: Hit, width: int) -> Line:
        """`07:00 6b8k0003 review     reading src/api/orders.py`."""
        fixed = [
            Cell(clock(item.run.started_at, self.midwatch.now()), 11 if width >= 90 else 5, "dim", right=True),
            Cell(short(item.run.id), 8, "dim"),
            Cell(one_line(item.source.agent), self._agents, "bold"),
        ]
        taken = sum(cell.width + 1 for cell in fixed)
        return row([*fixed, Cell(item.text.strip(), max(0, width - taken))], width)

    def emptiness(self) -> list[str]:
        """Still looking, or there is none."""
        return [self.heard]


class Found(Screen[Place | None], inherit_bindings=False):
    """Looks in a thread, and shows what it has found so far."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(("down", "up", "page-down", "page-up", "top", "bottom")),
        Binding("enter,right,l", "open", show=False),
        Binding("escape,left,h,q", "leave", show=False),
    ]

    class More(Message):
        """Further places were found."""

        def __init__(self, hits: Sequence[Hit]) -> None:
            super().__init__()
            self.hits = hits

    def __init__(self, words: str, runs: RunWords) -> None:
        super().__init__(id="found")
        self.rows = HitRows(id="hit-rows", heading=f"'{one_line(words)}' in outputs")
        self.rows.heard = "looking through the outputs that are kept ..."
        self.footer = Footer(id="footer")
        self._words, self._runs = words, runs
        self._hits: list[Hit] = []
        self._left = threading.Event()
        self.looked = False
        """Whether everything has been looked through."""

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def compose(self) -> ComposeResult:
        """The list and the keys."""
        yield from (self.rows, self.footer)

    def on_mount(self) -> None:
        """Begins to look."""
        self.footer.show(_KEYS)
        self.rows.focus()
        self.rows.caption_now()
        places = self.midwatch.places
        aside(self, lambda: self._look(places), self._looked)

    def _look(self, places: Places) -> str:
        """In the thread: what went wrong, or ''."""
        reader = RecordReader(places)
        try:
            connection = reader.connection()
            if connection is None:
                return ""
            bunch: list[Hit] = []
            for number, hit in enumerate(search(connection, places, self._words, fits=self._fits), 1):
                bunch.append(hit)
                if len(bunch) >= _AT_ONCE or number in (1, MOST):
                    self.post_message(self.More(bunch))
                    bunch = []
                if number >= MOST or self._left.is_set():
                    break
            self.post_message(self.More(bunch))
        except (StoreError, sqlite3.Error) as error:
            return one_line(str(error))
        finally:
            reader.close()
        return ""

    def _fits(self, line: RunLine) -> bool:
        return not self._left.is_set() and self._runs.fits(line)

    def on_found_more(self, message: More) -> None:
        """Shows them below the others."""
        self._hits.extend(message.hits)
        self.rows.show(tuple(self._hits))

    def _looked(self, problem: str) -> None:
        self.looked = True
        self.rows.heard = "these words stand in no output that is kept"
        self.rows.repaint()
        if problem:
            self.footer.say(problem, "red")
        elif len(self._hits) >= MOST:
            self.footer.say(f"the first {MOST} places; more words make it fewer", "yellow")
        self.rows.heading = f"{self.rows.heading}: {counted(len(self._hits), 'line')}"
        self.rows.caption_now()

    def action_act(self, action: str) -> None:
        """Moves the hand."""
        self.footer.hush()
        match action:
            case "down" | "up":
                self.rows.move(1 if action == "down" else -1)
            case "page-down" | "page-up":
                self.rows.page(1 if action == "page-down" else -1)
            case "top" | "bottom":
                self.rows.jump(end=action == "bottom")

    def action_open(self) -> None:
        """Leads there."""
        hit = self.rows.selected
        if hit is not None:
            source = hit.source
            self.dismiss(
                Place(
                    run=source.run,
                    workflow=hit.run.workflow,
                    agent=source.agent,
                    attempt=source.attempt,
                    line=hit.line,
                    words=self._words,
                )
            )

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.action_open()

    def action_leave(self) -> None:
        """Back; a search that still goes on ends."""
        self._left.set()
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Nobody waits for what is still to come."""
        self._left.set()
