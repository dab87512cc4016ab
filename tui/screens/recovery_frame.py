"""The frame of the recovery screen: what it reads, and how its parts share the room there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import TextArea

from store.errors import StoreError
from tui.cut_off import Key, Offer, Offers, read_offers, story
from tui.record_reader import RecordReader
from tui.text import one_line
from tui.tilde import with_tilde
from tui.widgets.cut_off_rows import CutOffRows
from tui.widgets.footer import Footer
from tui.widgets.page import Page
from tui.wrapping import rows_of

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from tui.lines import Span
    from tui.midwatch import Midwatch

WIDEST = 118
_FRAME, _PADDING = 2, 2
_EDITOR, _ANSWERS = 5, 4
_LEAST_ROWS = 3
_KEYS = (
    ("space", "mark"),
    ("r", "resume"),
    ("c", "continue"),
    ("e", "edit"),
    ("enter", "look"),
    ("x", "discard"),
    ("esc", "later"),
)
_WIDE_KEYS = (
    ("space", "mark"),
    ("r", "resume"),
    ("c", "resume and later waves"),
    ("e", "what it is told"),
    ("enter", "look inside"),
    ("x", "discard run"),
    ("esc", "later"),
)


class RecoveryFrame(ModalScreen[str | None], inherit_bindings=False):
    """Shows; what its keys do is said by the screen itself."""

    def __init__(self, told: dict[Key, str], *, live: int = 0) -> None:
        super().__init__(id="recovery")
        self._told, self._live = told, live
        self._offers = Offers()
        self._editing: Key | None = None
        self._asked: set[Key] = set()
        self._resumed = ""
        self._answers: dict[str, Span] = {}
        self.story = Page(id="story", heading="")
        self.rows = CutOffRows(id="cut-off", told=lambda key: key in told)
        self.editor = TextArea(id="told", tab_behavior="focus")
        self.answers = Page(id="answers", heading="", following=True)
        self.footer = Footer(id="footer")
        self.frame = Vertical(id="interrupted")
        self.story.can_focus = self.answers.can_focus = False

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def compose(self) -> ComposeResult:
        """One frame: what happened, the agents, the words for one of them, what was answered, the keys."""
        self.frame.border_title = "Interrupted"
        self.editor.display = False
        with self.frame:
            yield self.story
            yield self.rows
            yield self.editor
            yield self.answers
            yield self.footer

    def on_mount(self) -> None:
        """Reads what waits."""
        self.rows.focus()
        self._read()

    def on_resize(self, event: events.Resize) -> None:
        """Where room is short, an agent takes two lines."""
        self._arrange()

    def _read(self) -> None:
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            now = self.midwatch.now()
            self._offers = Offers() if connection is None else read_offers(connection, self.midwatch.places, now)
        except (StoreError, sqlite3.Error) as error:
            self._answers["record"] = (with_tilde(one_line(str(error))), "red")
        finally:
            reader.close()
        self._arrange()

    def _arrange(self) -> None:
        """Heights are computed: the list gives way, so that the keys stay in view."""
        size = self.app.size
        width = min(size.width, WIDEST)
        inside = width - _FRAME - _PADDING
        told = story(self._offers, live=self._live) if self._offers.runs else []
        answered = list(self._answers.values())
        self.rows.take(self._offers, inside)
        editor = _EDITOR if self._editing is not None else 0
        answers = min(_ANSWERS, _height(answered, inside))
        least = _FRAME + editor + answers + 1 + min(_LEAST_ROWS, len(self.rows.every))
        heights = (
            (self.story, max(0, min(_height(told, inside) + 1, size.height - least))),
            (self.editor, editor),
            (self.answers, answers),
            (self.footer, 1),
        )
        for widget, height in heights:
            widget.styles.height = height
        self.story.show(told)
        self.answers.show(answered)
        taken = _FRAME + sum(height for _, height in heights)
        self.frame.styles.width = width
        self.frame.styles.height = min(size.height, taken + max(1, len(self.rows.every)))
        if self._editing is not None:
            self.footer.show([("esc", "done, kept until you resume it")])
        else:
            self.footer.show(_WIDE_KEYS if inside >= 100 else _KEYS)

    def _say(self, offer: Offer, sentence: str, tone: str) -> None:
        run, agent = offer.key
        self._answers[f"{run}/{agent}"] = (with_tilde(one_line(f"{agent}: {sentence}")), tone)
        self._arrange()


def _height(spans: Sequence[Span], width: int) -> int:
    return sum(len(rows_of(text, width)) for text, _ in spans)
