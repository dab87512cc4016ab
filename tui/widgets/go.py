"""The row at the end of a form that does it."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.lines import Line, fit
from tui.widgets.painted import Painted


class Go(Painted, can_focus=True):
    """Enter or a click on it does it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", show=False)]

    class Pressed(Message):
        """Do it."""

    def __init__(self, label: str, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._label = label

    def lines(self, width: int, height: int) -> list[Line]:
        """`[ launch ]`."""
        return [fit([(f"[ {self._label} ]", "bold")], width)]

    def marked(self) -> int | None:
        """Its only line, while the keys are here."""
        return 0 if self.has_focus else None

    def on_click(self, event: events.Click) -> None:
        """A click presses it."""
        self.action_press()

    def action_press(self) -> None:
        """Says so."""
        self.post_message(self.Pressed())
