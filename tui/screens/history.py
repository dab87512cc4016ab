"""All runs that the record knows: by words, outcome, workflow, launch and cost; and words in what agents printed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from store.errors import StoreError
from store.views import RunLine, run_lines
from tui.actions import bindings
from tui.record_reader import RecordReader
from tui.run_words import RunWords, parse
from tui.screens.found import Found, Place
from tui.widgets.footer import Footer
from tui.widgets.history_rows import HistoryRows
from tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tui.midwatch import Midwatch

MOST = 2_000
_PAGE = 500
_KEYS = (("enter", "open"), ("/", "which runs"), ("f", "find in outputs"), ("esc", "back"))


class History(Screen[Place | None], inherit_bindings=False):
    """Read when it opens and when the words change. Its result is the place to open on the main screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(("down", "up", "page-down", "page-up", "top", "bottom")),
        Binding("enter,right,l", "open", show=False),
        Binding("slash", "ask", show=False),
        Binding("f", "find", show=False),
        Binding("escape,left,h,q", "leave", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="history")
        self.rows = HistoryRows(id="history-rows", heading="History")
        self.footer = Footer(id="footer")
        self.prompt = Prompt(id="prompt")
        self._typed = ""
        self._finding = False

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def compose(self) -> ComposeResult:
        """The list and the keys."""
        yield from (self.rows, self.footer, self.prompt)

    def on_mount(self) -> None:
        """Shows the newest runs."""
        self.prompt.display = False
        self.footer.show(_KEYS)
        self.rows.focus()
        self._look()

    def _look(self) -> None:
        self._hush()
        wanted = parse(self._typed)
        self.rows.heading = f"History  {self._typed}".rstrip()
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            lines = [] if connection is None else _fitting(connection, wanted)
            self.rows.show(lines)
            if len(lines) == MOST:
                self._say(f"the newest {MOST} of them; since: and workflow: lead further back", "dim")
        except (StoreError, sqlite3.Error) as error:
            self._say(str(error), "red")
        finally:
            reader.close()
        if wanted.problem:
            self._say(wanted.problem, "yellow")
        self.rows.caption_now()

    def action_act(self, action: str) -> None:
        """Moves the hand."""
        self._hush()
        match action:
            case "down" | "up":
                self.rows.move(1 if action == "down" else -1)
            case "page-down" | "page-up":
                self.rows.page(1 if action == "page-down" else -1)
            case "top" | "bottom":
                self.rows.jump(end=action == "bottom")

    def action_open(self) -> None:
        """Leads to the run on the main screen."""
        line = self.rows.selected
        if line is not None:
            self.dismiss(Place(run=line.id, workflow=line.workflow))

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.action_open()

    def action_ask(self) -> None:
        """Which runs?"""
        self._finding = False
        self._begin(self._typed, "words  outcome:blocked  workflow:ship  since:7d  cost:2")

    def action_find(self) -> None:
        """Which words, in the outputs of these runs?"""
        self._finding = True
        self._begin("", "words that an agent printed, in the runs of this list")

    def _begin(self, words: str, hint: str) -> None:
        self._hush()
        self.footer.display = False
        self.prompt.begin(words, hint)

    def on_prompt_changed(self, message: Prompt.Changed) -> None:
        """The list follows while one types."""
        if not self._finding:
            self._typed = message.words
            self._look()

    def on_prompt_done(self, message: Prompt.Done) -> None:
        """The words hold, or are given up."""
        self.footer.display = True
        self.rows.focus()
        if not self._finding:
            self._typed = message.words if message.kept else ""
            self._look()
        elif message.kept and message.words.strip():
            self.app.push_screen(Found(message.words, parse(self._typed)), self._found)

    def _found(self, place: Place | None) -> None:
        if place is not None:
            self.dismiss(place)

    def action_leave(self) -> None:
        """Ends a filter first, then goes back."""
        if self._typed:
            self._typed = ""
            self._look()
        else:
            self.dismiss(None)

    def _say(self, sentence: str, tone: str) -> None:
        self.footer.say(sentence, tone)
        self.footer.styles.height = max(1, self.footer.wanted_height(self.app.size.width))

    def _hush(self) -> None:
        self.footer.hush()
        self.footer.styles.height = 1


def _fitting(connection: sqlite3.Connection, wanted: RunWords) -> list[RunLine]:
    found: list[RunLine] = []
    before: int | None = None
    while len(found) < MOST and (page := run_lines(connection, limit=_PAGE, before=before)):
        before = page[-1].seq
        found.extend(line for line in page if wanted.fits(line))
    return found[:MOST]
