"""Where the panes of the main screen stand, for every size of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.geometry import Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement

from tui.situation import Pane

if TYPE_CHECKING:
    from textual.geometry import Spacing
    from textual.widget import Widget

WIDE = Size(110, 20)
"""From here on all panes are shown at once; below, one at a time."""
LEAST = Size(60, 20)
"""Below this a note says so."""
_FRAME = 2


class Wanted(NamedTuple):
    """What the panes would like: the one that is shown alone where room is short, and heights in lines."""

    pane: Pane
    workflows: int
    agents: int
    footer: int = 1


def is_wide(size: Size) -> bool:
    """Whether all panes fit at once."""
    return size.width >= WIDE.width and size.height >= WIDE.height


def left_width(size: Size) -> int:
    """How wide the left column is where there are two."""
    return max(34, min(52, size.width * 32 // 100))


def regions(size: Size, wanted: Wanted) -> Mapping[str, Region]:
    """The region of each pane that is shown, by its id. Nothing overlaps, and the whole screen is covered."""
    width, height = size
    footer = max(1, min(wanted.footer, height - 4))
    found = {"header": Region(0, 0, width, 1), "footer": Region(0, height - footer, width, footer)}
    top, body = 1, height - 1 - footer
    if not is_wide(size):
        found["cost"] = Region(0, top + body - 1, width, 1)
        found[wanted.pane] = Region(0, top, width, body - 1)
        return found
    left = left_width(size)
    right = width - left
    upper = min(wanted.workflows + _FRAME, body // 2)
    found[Pane.WORKFLOWS] = Region(0, top, left, max(4, upper))
    found[Pane.RUNS] = Region(0, top + max(4, upper), left, body - max(4, upper))
    board = max(4, min(wanted.agents + _FRAME, body * 55 // 100))
    cost = 1 + _FRAME
    found[Pane.AGENTS] = Region(left, top, right, board)
    found[Pane.OUTPUT] = Region(left, top + board, right, body - board - cost)
    found["cost"] = Region(left, top + body - cost, right, cost)
    return found


class MainLayout(Layout):
    """Places the children by their ids; one that has no region is not shown. The prompt takes the footer's place."""

    name = "main"

    def __init__(self, wanted: Callable[[Size], Wanted]) -> None:
        self._wanted = wanted

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """The placements, for Textual."""
        found = regions(size, self._wanted(size))
        none: Spacing = parent.styles.margin
        placed = []
        for child in children:
            region = found.get("footer" if child.id == "prompt" else child.id or "")
            if region is not None:
                placed.append(WidgetPlacement(region, Region().offset, none, child, 1 if child.id == "prompt" else 0))
        return placed
