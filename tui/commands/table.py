"""Rows as aligned lines, measured in terminal cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tui.commands.terminal import Terminal
from tui.text import cells, clip

_GAP = "  "
_LEAST = 8  # cells that a column keeps when others need room


def table(
    terminal: Terminal,
    rows: Sequence[Sequence[str]],
    *,
    header: Sequence[str] = (),
    right: Collection[int] = (),
    gives: Sequence[int] = (),
    colours: Sequence[str | None] = (),
    coloured: Collection[int] = (),
    indent: str = "",
) -> list[str]:
    """`rows` as lines no wider than the terminal. Columns in `right` end together; those in `gives` are cut, in order.

    `colours` has one colour a row, for the columns in `coloured`. Cells are harmless text of one line.
    """
    shown = [list(header), *map(list, rows)] if header else [list(row) for row in rows]
    if not shown:
        return []
    widths = [max(cells(row[column]) for row in shown) for column in range(len(shown[0]))]
    used = [column for column, width in enumerate(widths) if width]
    if terminal.width is not None:
        excess = len(indent) + sum(widths) + len(_GAP) * (len(used) - 1) - terminal.width
        for column in gives:
            taken = max(0, min(excess, widths[column] - _LEAST))
            widths[column] -= taken
            excess -= taken
    lines = []
    for number, row in enumerate(shown):
        place = number - 1 if header else number
        colour = "dim" if place < 0 else colours[place] if colours else None
        parts = []
        for column in used:
            text = clip(row[column], widths[column])
            filling = " " * (widths[column] - cells(text))
            painted = terminal.paint(text, colour) if place < 0 or column in coloured else text
            parts.append(filling + painted if column in right else painted + filling)
        lines.append((indent + _GAP.join(parts)).rstrip())
    return lines
