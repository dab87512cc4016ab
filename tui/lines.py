"""Lines as the screen's own widgets paint them: pieces of harmless text in tones, exactly as wide as asked.

Nothing here knows Textual: what a pane shows can be computed, compared and tested without a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui.text import cells, clip, pad

Span = tuple[str, str]
"""Text and its tone: a colour's name of `tui.commands.tones`, 'dim', 'bold', or '' for plain."""
Line = tuple[Span, ...]

BLANK: Line = ()


class Cell(NamedTuple):
    """One column of one row: text clipped and filled to `width` cells."""

    text: str
    width: int
    tone: str = ""
    right: bool = False

    def span(self) -> Span:
        """The cell as it is painted."""
        if not self.right:
            return pad(self.text, self.width), self.tone
        shown = clip(self.text, self.width)
        return " " * (self.width - cells(shown)) + shown, self.tone


def row(columns: Iterable[Cell], width: int) -> Line:
    """The columns as one line of `width` cells, one cell apart; columns of no width leave no gap."""
    spans: list[Span] = []
    for column in columns:
        if column.width > 0:
            text, tone = column.span()
            spans.append((text + " ", tone))
    return fit(spans, width)


def fit(spans: Iterable[Span], width: int) -> Line:
    """The spans cut to `width` cells, neighbours of one tone as one: each span costs bytes on the line."""
    fitted: list[Span] = []
    room = width
    for text, tone in spans:
        if room <= 0:
            break
        taken = cells(text)
        if taken > room:
            text = text.rstrip() if cells(text.rstrip()) <= room else clip(text, room)
            taken = room
            text = pad(text, room)
        if text and fitted and (fitted[-1][1] == tone or text.isspace()):
            fitted[-1] = (fitted[-1][0] + text, fitted[-1][1])
        elif text:
            fitted.append((text, tone))
        room -= taken
    return tuple(fitted)


def ends(left: Sequence[Span], right: Sequence[Span], width: int) -> Line:
    """A line with `left` at its beginning and `right` at its end; what is on the left gives way."""
    tail = fit(right, width)
    room = width - length(tail)
    head = fit(left, max(0, room - 1)) if tail else fit(left, width)
    filling = width - length(head) - length(tail)
    return (*head, (" " * filling, ""), *tail) if tail and filling > 0 else (*head, *tail)


def length(line: Sequence[Span]) -> int:
    """How many cells the line takes."""
    return sum(cells(text) for text, _ in line)


def text_of(line: Sequence[Span]) -> str:
    """The line without its tones."""
    return "".join(text for text, _ in line).rstrip()


def changed(old: Sequence[Span], new: Sequence[Span], width: int) -> tuple[int, int] | None:
    """The cells `[from, to)` in which two lines of a pane of `width` cells differ; `None` when they are the same."""
    if old == new:
        return None
    start = _alike(old, new)
    if length(old) != length(new):
        return start, width
    return start, max(start + 1, length(new) - _alike(_backwards(old), _backwards(new)))


def _alike(old: Sequence[Span], new: Sequence[Span]) -> int:
    """How many cells at the beginning are the same."""
    same = 0
    for before, after in zip(old, new, strict=False):
        if before == after:
            same += cells(before[0])
            continue
        if before[1] == after[1] and before[0].isascii() and after[0].isascii():
            pairs = enumerate(zip(before[0], after[0], strict=False))
            same += next((at for at, (one, other) in pairs if one != other), 0)
        break
    return same


def _backwards(line: Sequence[Span]) -> list[Span]:
    return [(text[::-1], tone) for text, tone in reversed(line)]
