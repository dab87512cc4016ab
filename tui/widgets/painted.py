"""The base of what the screen paints itself: lines computed when asked for, cells repainted when they differ.

Only what is visible exists as lines, and a repaint sends only the cells that changed to the terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.lines import BLANK, Line, changed, length
from tui.text import cells

if TYPE_CHECKING:
    from tui.midwatch import Midwatch

_AROUND = 6  # cells of the frame that stand around a caption


class Painted(Widget):
    """A widget that shows `lines`; a subclass says which those are."""

    ALLOW_MAXIMIZE = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id, classes=classes)
        self._shown: list[Line] = []
        self._shown_at: Size | None = None
        self._captions: tuple[str, str] = ("", "")

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def lines(self, width: int, height: int) -> list[Line]:
        """What to show now, at most `height` lines of at most `width` cells."""
        raise NotImplementedError

    def marked(self) -> int | None:
        """The line that the cursor is on, if there is one."""
        return None

    def repaint(self) -> None:
        """Computes the lines again and repaints the cells that are not the same."""
        size = self.size
        if self._shown_at != size:
            self._shown_at = None  # it may be back in its old size before it is painted, with other lines
            self.refresh()
            return
        now = self._computed(size)
        regions = []
        for y, (old, new) in enumerate(zip(self._shown, now, strict=True)):
            part = changed(old, new, size.width)
            if part is not None:
                regions.append(Region(part[0], y, part[1] - part[0], 1))
        self._shown = now
        if regions:
            self.refresh(*regions)

    def repaint_line(self, y: int | None) -> None:
        """Repaints a whole line, whose text is the same and whose marking is not."""
        if y is not None and 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def caption(self, title: str, note: str = "") -> None:
        """The words in the frame: above `title`, below `note`. Both must be harmless."""
        before = self._captions
        self._captions = (title, note)
        # Textual's own setters would repaint the whole pane, and read a plain string as markup.
        if title != before[0]:
            self._border_title = Content(title) if title else None
            self.refresh(Region(0, -1, max(cells(title), cells(before[0])) + _AROUND, 1))
        if note != before[1]:
            self._border_subtitle = Content(note) if note else None
            taken = max(cells(note), cells(before[1])) + _AROUND
            self.refresh(Region(max(-1, self.size.width - taken), self.size.height, taken, 1))

    def render_line(self, y: int) -> Strip:
        """A line of the widget, for Textual."""
        size = self.size
        if self._shown_at != size:
            self._shown = self._computed(size)
            self._shown_at = size
        line = self._shown[y] if y < len(self._shown) else BLANK
        base = self.visual_style.rich_style
        palette = self.midwatch.palette
        if y == self.marked():
            style = palette.cursor(base, focused=self.has_focus)
            plain = self.has_focus
            segments = [Segment(text, style if plain else palette.tone(style, tone)) for text, tone in line]
        else:
            style = base
            segments = [Segment(text, palette.tone(base, tone)) for text, tone in line]
        filling = size.width - length(line)
        if filling > 0:
            segments.append(Segment(" " * filling, style))
        return Strip(segments, max(size.width, length(line)))

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """For Textual. Its own lays everything out a second time, for scrollbars that are not here."""
        if size == self._size:
            return False
        self._size = size
        self._container_size = container_size
        self._set_dirty()
        self.call_later(self.resized)
        self.call_after_refresh(self.refresh)
        return True

    def resized(self) -> None:
        """Called after the size changed. Textual's own event does not come for every pane that is shown again."""

    def on_focus(self) -> None:
        """The cursor's row looks different under the hand."""
        self.refresh()

    def on_blur(self) -> None:
        """And when the hand has left."""
        self.refresh()

    def _computed(self, size: Size) -> list[Line]:
        now = self.lines(size.width, size.height)[: size.height]
        now.extend([BLANK] * (size.height - len(now)))
        return now
