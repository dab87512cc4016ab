"""One of several values: a row each, the chosen one marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.lines import Line, fit
from tui.text import one_line
from tui.widgets.painted import Painted


class Choice(Painted, can_focus=True):
    """The arrows choose."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j,space", "choose(1)", show=False),
        Binding("up,k", "choose(-1)", show=False),
    ]

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, values: Sequence[str], value: str, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._values = values
        self._at = values.index(value) if value in values else -1
        self.styles.height = len(values)

    @property
    def at(self) -> int:
        """Which one is chosen, from 0; -1 while none is."""
        return self._at

    @property
    def value(self) -> str:
        """The one that is chosen; '' while none is."""
        return self._values[self._at] if self._at >= 0 else ""

    def lines(self, width: int, height: int) -> list[Line]:
        """`(x) normal`."""
        return [
            fit([("(x) " if index == self._at else "( ) ", "bold"), (one_line(value), "")], width)
            for index, value in enumerate(self._values)
        ]

    def marked(self) -> int | None:
        """The chosen row, while the keys are here."""
        return max(self._at, 0) if self.has_focus else None

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        self._choose(event.y)

    def action_choose(self, step: int) -> None:
        """The next one, around."""
        self._choose((max(self._at, -1 if step > 0 else 0) + step) % len(self._values))

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._values) and index != self._at:
            before, self._at = self._at, index
            self.repaint()
            self.repaint_line(before)
            self.repaint_line(index)
            self.post_message(self.Changed(self))
