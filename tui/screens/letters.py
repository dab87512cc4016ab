"""Dead letters: what no consumer would take and what was refused; to be read, tried again or put away (E6, E7)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from store.errors import StoreError
from store.letters import Kind, Letter, open_letters
from tui.actions import bindings
from tui.aside import aside
from tui.lines import Span
from tui.record_reader import RecordReader
from tui.screens.reading import Reading
from tui.text import harmless, one_line
from tui.widgets.footer import Footer
from tui.widgets.letter_rows import LetterRows, kind_of
from tui.wording import clock

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from store.paths import Places
    from tui.midwatch import Midwatch

_KEYS = (("enter", "read"), ("t", "try again"), ("x", "drop"), ("esc", "back"))


class Letters(Screen[None], inherit_bindings=False):
    """Read again after every answer: another terminal may have done something too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(("down", "up", "page-down", "page-up", "top", "bottom")),
        Binding("enter,right,l", "read", show=False),
        Binding("t", "ask('retry')", show=False),
        Binding("x", "ask('drop')", show=False),
        Binding("escape,left,h,q", "leave", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="letters")
        self.rows = LetterRows(id="letter-rows", heading="Dead letters")
        self.footer = Footer(id="footer")

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def compose(self) -> ComposeResult:
        """The list and the keys."""
        yield self.rows
        yield self.footer

    def on_mount(self) -> None:
        """Shows what is open."""
        self.rows.focus()
        self.rows.caption_now()
        self._look()

    def _look(self) -> None:
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            self.rows.show([] if connection is None else open_letters(connection))
        except (StoreError, sqlite3.Error) as error:
            self._say(str(error), "red")
        finally:
            reader.close()
        self.footer.show(_KEYS if self.rows.count else _KEYS[-1:])

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

    def action_read(self) -> None:
        """The whole letter."""
        letter = self.rows.selected
        if letter is not None:
            self.app.push_screen(LetterText(letter))

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.action_read()

    def action_ask(self, verb: str) -> None:
        """Asks the watch, in a thread."""
        letter = self.rows.selected
        if letter is None:
            return
        self._say(f"{verb}: asked, waiting for the watch", "")
        places = self.midwatch.places
        aside(self, lambda: _asked(places, verb, letter.id), lambda problem: self._answered(letter, verb, problem))

    def _answered(self, letter: Letter, verb: str, problem: str) -> None:
        self._look()
        if problem:
            self._say(problem, "red")
        elif verb == "drop":
            self._say("the letter is put away", "")
        elif letter.kind is Kind.UNDELIVERED:
            self._say(f"{letter.type} is on its way to the {letter.consumer} again", "")
        else:
            self._say(f"{letter.type} applied now", "")

    def action_leave(self) -> None:
        """Back."""
        self.dismiss(None)

    def _say(self, sentence: str, tone: str) -> None:
        self.footer.say(sentence, tone)
        self.footer.styles.height = max(1, self.footer.wanted_height(self.app.size.width))

    def _hush(self) -> None:
        self.footer.hush()
        self.footer.styles.height = 1


class LetterText(Reading):
    """One letter, whole."""

    def __init__(self, letter: Letter) -> None:
        super().__init__(heading=f"Dead letter {one_line(letter.id)}")
        self._letter = letter
        self.page.hanging = 10

    def text(self) -> Iterable[Span]:
        """What, who, when, why, and what was in it."""
        letter = self._letter
        yield f"{one_line(letter.type)}, {kind_of(letter)}", "bold"
        yield f"when      {clock(letter.at, self.midwatch.now(), seconds=True)}", ""
        if letter.run is not None:
            yield f"run       {one_line(letter.run)}", ""
        if letter.agent is not None:
            yield f"agent     {one_line(letter.agent)}", ""
        yield f"why       {one_line(letter.why)}", "yellow"
        yield "", ""
        for line in json.dumps(letter.data, indent=2, ensure_ascii=False).splitlines():
            yield harmless(line), "dim"


def _asked(places: Places, verb: str, letter: str) -> str:
    """Why the watch did not do it, or ''."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        requests.ask(places, verb, {"letter": letter})
    except (HarnessError, StoreError) as problem:
        return str(problem)
    return ""
