"""The base of screens that are only read: one text over the whole screen, moved along with the usual keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import BindingType
from textual.screen import Screen

from tui.actions import BY_ID, bindings
from tui.lines import Span
from tui.widgets.footer import Footer
from tui.widgets.page import Page

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tui.midwatch import Midwatch

KEYS = ("out", "down", "up", "page-down", "page-up", "top", "bottom", "help", "quit")


class Reading(Screen[None], inherit_bindings=False):
    """A subclass gives the text, and may have more keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    extra: tuple[tuple[str, str], ...] = ()
    """Further hints: (key, word)."""

    def __init__(self, *, heading: str, following: bool = False) -> None:
        super().__init__()
        self.page = Page(id="page", heading=heading, following=following)
        self.footer = Footer(id="footer")

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def text(self) -> Iterable[Span]:
        """What is read."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The text and the keys."""
        yield self.page
        yield self.footer

    def on_mount(self) -> None:
        """Shows it."""
        self.page.show(list(self.text()))
        self.page.focus()
        keys = self.midwatch.keys
        hints = [(keys.get(one, BY_ID[one].shown), BY_ID[one].label) for one in ("out", "down", "up", "page-down")]
        self.footer.show([*self.extra, *hints])

    def action_act(self, action: str) -> None:
        """Does what the table of actions calls so."""
        match action:
            case "out" | "quit" | "help":
                self.dismiss(None)
            case "down" | "up":
                self.page.move(1 if action == "down" else -1)
            case "page-down" | "page-up":
                self.page.page(1 if action == "page-down" else -1)
            case "top" | "bottom":
                self.page.jump(end=action == "bottom")
