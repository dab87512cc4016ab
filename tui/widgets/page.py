"""A text to be read: help, the events of an agent."""

from __future__ import annotations

from collections.abc import Sequence

from tui.lines import Span
from tui.widgets.pager import Pager


class Page(Pager):
    """Lines that are all there from the beginning."""

    def __init__(self, *, id: str, heading: str, spans: Sequence[Span] = (), following: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, following=following)
        self.heading = heading
        self._spans = spans
        self.empty = ""

    def show(self, spans: Sequence[Span]) -> None:
        """Shows these lines; the reader stays where they are."""
        self._spans = spans
        self._wrapped.clear()
        self.grown()

    def count(self) -> int:
        """How many lines there are."""
        return len(self._spans)

    def text(self, number: int) -> Span:
        """One of them."""
        return self._spans[number]

    def emptiness(self) -> list[str]:
        """Said in place of lines."""
        return [self.empty]

    def caption_now(self) -> None:
        """The heading, and how far the reader is."""
        last = self._on(self.place, self.size.height)[0]
        total = self.count()
        note = "" if self.place == (0, 0) and last >= total else f"{min(last, total)} of {total}"
        self.caption(self.heading, note)
