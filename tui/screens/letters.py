"""Dead letters: what no consumer would take and what was refused; to be read, tried again or put away (E6, E7)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from store.errors import StoreError
from store.letters import Kind, Letter, open_letters
from tui.lines import Span
from tui.screens.listing import Listing
from tui.screens.reading import Reading
from tui.text import harmless, one_line
from tui.widgets.letter_rows import LetterRows, kind_of
from tui.wording import clock

if TYPE_CHECKING:
    from store.paths import Places


class Letters(Listing):
    """Each may be tried again or put away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "settle('retry')", show=False),
        Binding("x", "settle('drop')", show=False),
    ]
    KEYS = (("enter", "read"), ("t", "try again"), ("x", "drop"))

    def __init__(self) -> None:
        super().__init__(LetterRows(id="letter-rows", heading="Dead letters"), id="letters")

    def found(self, connection: sqlite3.Connection) -> Sequence[Letter]:
        """What is open, the newest first."""
        return open_letters(connection)

    def action_read(self) -> None:
        """The whole letter."""
        letter = self.rows.selected
        if letter is not None:
            self.app.push_screen(LetterText(letter))

    def action_settle(self, verb: str) -> None:
        """Asks the watch to."""
        letter = self.rows.selected
        if letter is not None:
            places = self.midwatch.places
            self.ask(
                lambda: _asked(places, verb, letter.id), f"{verb}: asked, waiting for the watch", _done(letter, verb)
            )


def _done(letter: Letter, verb: str) -> str:
    if verb == "drop":
        return "the letter is put away"
    if letter.kind is Kind.UNDELIVERED:
        return f"{letter.type} is on its way to the {letter.consumer} again"
    return f"{letter.type} applied now"


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
