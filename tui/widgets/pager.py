"""Lines of any number and length, wrapped to the pane and scrolled by rows; only what is in view is ever looked at.

The place is kept as a line and a row of it, not as a count of rows, so that neither a resize nor growth moves the text
under the reader.
"""

from __future__ import annotations

import re

from tui.lines import Line, Span, fit
from tui.widgets.painted import Painted
from tui.wrapping import rows_of

Place = tuple[int, int]
"""A line and a row of it, both from 0."""


class Pager(Painted, can_focus=True):
    """A subclass says what lines there are. With `following` the end stays in view."""

    def __init__(self, *, id: str, following: bool) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.following = following
        self.wanted = ""
        self.hanging = 0
        """Cells by which the further rows of a wrapped line are indented."""
        self._top: Place = (0, 0)
        self._count_when_left = 0
        self._wrapped: dict[int, list[str]] = {}
        self._wrapped_at = 0

    def count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def text(self, number: int) -> Span:
        """A line, harmless, and its tone."""
        raise NotImplementedError

    def emptiness(self) -> list[str]:
        """What would be here, when there is nothing."""
        return []

    @property
    def place(self) -> Place:
        """The row at the top of the pane."""
        return self._bottom_place() if self.following else self._top

    @property
    def missed(self) -> int:
        """How many lines came since the reader left the end."""
        return 0 if self.following else max(0, self.count() - self._count_when_left)

    def lines(self, width: int, height: int) -> list[Line]:
        """The rows in view."""
        if not self.count():
            return [fit([(row, "dim")], width) for line in self.emptiness() for row in rows_of(line, width)]
        number, skip = self._top = self.place
        shown: list[Line] = []
        while number < self.count() and len(shown) < height:
            tone = self.text(number)[1]
            shown.extend(self._line(row, tone, width) for row in self._rows(number)[skip:])
            number, skip = number + 1, 0
        return shown

    def move(self, rows: int) -> None:
        """Scrolls by so many rows; up leaves the end, down to the end follows again."""
        if not self.count():
            return
        bottom, place = self._bottom_place(), self.place
        place = self._back(place, -rows) if rows < 0 else self._on(place, rows)
        self._go(min(place, bottom), follows=place >= bottom)

    def page(self, pages: int) -> None:
        """Scrolls by so many screenfuls."""
        self.move(pages * max(1, self.size.height - 1))

    def jump(self, *, end: bool) -> None:
        """To the first line, or to the end."""
        bottom = self._bottom_place()
        self._go(bottom if end else (0, 0), follows=end or bottom == (0, 0))

    def go_to(self, number: int) -> None:
        """Brings a line into view, a third from the top."""
        place = self._back((number, 0), self.size.height // 3)
        self._go(min(place, self._bottom_place()), follows=False)

    def restart(self, *, following: bool) -> None:
        """Other lines are shown from now on."""
        self.following, self._top, self._count_when_left = following, (0, 0), 0
        self._wrapped.clear()
        self.grown()

    def grown(self) -> None:
        """There are more lines; the last of those there were may be longer."""
        self._wrapped.pop(max(self._wrapped, default=0), None)
        self.repaint()
        self.caption_now()

    def caption_now(self) -> None:
        """Writes into the frame what is shown and which part of it."""
        raise NotImplementedError

    def resized(self) -> None:
        """What part is in view has changed."""
        self.caption_now()

    def on_mouse_scroll_down(self) -> None:
        """The wheel scrolls."""
        self.move(3)

    def on_mouse_scroll_up(self) -> None:
        """The wheel scrolls."""
        self.move(-3)

    def _go(self, place: Place, *, follows: bool) -> None:
        if self.following and not follows:
            self._count_when_left = self.count()
        self._top, self.following = place, follows
        self.repaint()
        self.caption_now()

    def _rows(self, number: int) -> list[str]:
        width = self.size.width
        if width != self._wrapped_at or len(self._wrapped) > 1000:
            self._wrapped.clear()
            self._wrapped_at = width
        rows = self._wrapped.get(number)
        if rows is None:
            rows = self._wrapped[number] = rows_of(self.text(number)[0], width, self.hanging)
        return rows

    def _bottom_place(self) -> Place:
        return self._back((self.count(), 0), self.size.height)

    def _back(self, place: Place, rows: int) -> Place:
        number, skip = place
        while rows > skip and number > 0:
            rows -= skip
            number -= 1
            skip = len(self._rows(number))
        return number, max(0, skip - rows)

    def _on(self, place: Place, rows: int) -> Place:
        number, skip = place
        skip += rows
        while number < self.count() and skip >= len(self._rows(number)):
            skip -= len(self._rows(number))
            number += 1
        return number, skip

    def _line(self, row: str, tone: str, width: int) -> Line:
        if not self.wanted:
            return fit([(row, tone)], width)
        spans: list[Span] = []
        at = 0
        for found in re.finditer(re.escape(self.wanted), row, re.IGNORECASE):
            spans += [(row[at : found.start()], tone), (found[0], "found")]
            at = found.end()
        return fit([*spans, (row[at:], tone)], width)
