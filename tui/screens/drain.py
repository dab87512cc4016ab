"""Asks once before a drain: how many minutes what is at work may still have, and whether the system gives as many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from tui.aside import aside
from tui.lines import Span
from tui.widgets.page import Page

if TYPE_CHECKING:
    from harness.grace import Grace
    from store.paths import Places
    from tui.midwatch import Midwatch

MINUTES = 30
_LONGEST = 5  # digits: more than a month


class Drain(ModalScreen[float | None], inherit_bindings=False):
    """Answers with the minutes, or `None` when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "drain", show=False),
        Binding("escape,q,n", "leave", show=False),
        Binding("backspace", "rub_out", show=False),
    ]

    def __init__(self, *, heading: str, effects: Sequence[str]) -> None:
        super().__init__(id="drain")
        self._effects = [(effect, "") for effect in effects]
        self._typed = str(MINUTES)
        self._touched = False
        self._grace: Grace | None = None
        self._page = Page(id="question", heading=heading, spans=self._spans())
        self._page.note = "enter drain   0-9 other minutes   esc leave it"

    def compose(self) -> ComposeResult:
        """One frame in the middle."""
        yield self._page

    def on_mount(self) -> None:
        """What the system grants is asked for meanwhile: that takes a moment."""
        places = cast("Midwatch", self.app).places
        aside(self, lambda: _grace(places), self._granted)

    def _granted(self, grace: Grace | None) -> None:
        self._grace = grace
        self._say()

    def on_key(self, event: events.Key) -> None:
        """Digits are the minutes; the first one begins a new number."""
        if event.character is not None and event.character.isascii() and event.character.isdigit():
            event.stop()
            self._typed = (self._typed if self._touched else "")[: _LONGEST - 1] + event.character
            self._touched = True
            self._say()

    def action_rub_out(self) -> None:
        """The last digit goes."""
        self._typed, self._touched = self._typed[:-1], True
        self._say()

    def action_drain(self) -> None:
        """Leaves with the minutes, if there are any."""
        if self._typed:
            self.dismiss(float(self._typed))

    def action_leave(self) -> None:
        """Leaves without."""
        self.dismiss(None)

    def _say(self) -> None:
        self._page.show(self._spans())
        self._page.refresh(layout=True)

    def _spans(self) -> list[Span]:
        said = f"What is at work may go on for {self._typed or '…'} minutes; what still runs then is ended."
        short = None if self._grace is None or not self._typed else self._grace.falls_short(float(self._typed))
        told: list[Span] = [] if short is None else [(f"{short[0].upper()}{short[1:]}.", "yellow")]
        return [*self._effects, (said, "bold"), *told]


def _grace(places: Places) -> Grace | None:
    """What the system gives the watch that lives (R15); `None` when none does."""
    from harness.grace import grace
    from harness.lock import holder

    watch = holder(places.watch_lock)
    return None if watch is None or watch.pid is None else grace(watch.pid)
