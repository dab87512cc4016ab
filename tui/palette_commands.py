"""The command palette: every action of the table by name, with its key, and why it is not possible if it is not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.markup import escape

from tui.actions import ACTIONS, Action
from tui.text import one_line

if TYPE_CHECKING:
    from tui.screens.panes import Panes

_MOVES = frozenset({"down", "up", "page-down", "page-up", "top", "bottom", "palette"})


class Commands(Provider):
    """Of the main screen."""

    async def discover(self) -> Hits:
        """All of them, what is possible here first."""
        for action in sorted(_offered(), key=lambda one: one.when(self._panes.here) is not None):
            title, help_text = self._words(action)
            yield DiscoveryHit(title, partial(self._panes.action_act, action.id), help=help_text)

    async def search(self, query: str) -> Hits:
        """Those whose name fits."""
        matcher = self.matcher(query)
        for action in _offered():
            title, help_text = self._words(action)
            score = matcher.match(f"{title} {action.id}")
            if score > 0:
                yield Hit(score, matcher.highlight(title), partial(self._panes.action_act, action.id), help=help_text)

    @property
    def _panes(self) -> Panes:
        from tui.screens.panes import Panes

        assert isinstance(self.screen, Panes)
        return self.screen

    def _words(self, action: Action) -> tuple[str, str]:
        key = self._panes.midwatch.keys.get(action.id, action.shown)
        reason = action.when(self._panes.here)
        title = f"{action.label}  ({key})" if key else action.label
        return escape(title), escape(action.help if reason is None else f"not now: {one_line(reason)}")


class PlainPalette(CommandPalette):
    """Textual's, without the picture whose width no two terminals agree on."""

    def on_mount(self) -> None:
        """The sign of a search here is the key for it."""
        self.query_one(SearchIcon).icon = "/"


def _offered() -> list[Action]:
    return [action for action in ACTIONS if action.id not in _MOVES]
