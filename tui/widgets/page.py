"""A text to be read: help, the events of an agent."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from tui.lines import Span
from tui.widgets.pager import Pager
from tui.wrapping import rows_of


class Page(Pager):
    """Lines that are all there from the beginning."""

    def __init__(self, *, id: str, heading: str, spans: Sequence[Span] = (), following: bool = False) -> None:  # noqa: A002
        super().__init__(id=id, following=following)
        self.heading = heading
        self.note = ""
        """Said below the text, in place of how far the reader is."""
        self._spans = spans
        self.empty = ""

    def on_mount(self) -> None:
        """What the frame says."""
        self.caption_now()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """For Textual, where the style sheet leaves the height to the text."""
        return sum(len(rows_of(text, width, self.hanging)) for text, _ in self._spans)

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
        whole = not self.size.height or (self.place == (0, 0) and last >= total)
        note = "" if whole else f"{min(last, total)} of {total}"
        self.caption(self.heading, self.note or note)
