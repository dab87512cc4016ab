"""Asks once before something ends: what will happen, enter or escape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from tui.lines import Span
from tui.widgets.page import Page


class Confirm(ModalScreen[bool], inherit_bindings=False):
    """Answers whether to go on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer(True)", show=False),
        Binding("escape,n", "answer(False)", show=False),
        Binding("q", "again", show=False),
    ]

    def __init__(
        self, *, heading: str, effects: Sequence[str], verb: str, instead: str = "leave it", again: bool = False
    ) -> None:
        """`again`: the key that asked, pressed a second time, is a yes."""
        super().__init__(id="confirm")
        self._again = again
        self._heading = heading
        self._effects = effects
        self._keys = f"enter {verb}   esc {instead}"

    def compose(self) -> ComposeResult:
        """One frame in the middle."""
        spans: list[Span] = [(effect, "") for effect in self._effects]
        page = Page(id="question", heading=self._heading, spans=spans)
        page.note = self._keys
        yield page

    def action_again(self) -> None:
        """What a second `q` means."""
        self.dismiss(self._again)

    def action_answer(self, answer: bool) -> None:
        """Leaves with it."""
        self.dismiss(answer)
