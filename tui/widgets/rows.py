"""A list of which only the visible rows exist as lines, with a cursor that stays on its item and a filter."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from textual import events
from textual.message import Message

from tui.lines import Line, fit
from tui.widgets.painted import Painted
from tui.wrapping import rows_of

Item = TypeVar("Item")


def matches(text: str, wanted: str) -> bool:
    """Whether every word of `wanted` is in `text`, whatever the case; a word after `!` must not be."""
    folded = text.casefold()
    return all(
        (part[1:] not in folded) if len(part) > 1 and part.startswith("!") else part in folded
        for part in wanted.casefold().split()
    )


class Rows(Painted, Generic[Item], can_focus=True):
    """The items of a pane. A subclass says how an item is known, found and painted."""

    class Entered(Message):
        """A row was clicked a second time: what enter does."""

    def __init__(self, *, id: str, heading: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.heading = heading
        self.wanted = ""
        self.moved: Callable[[], object] = _nobody
        """Called when the hand came to another item: at once, so that what follows is painted in the same frame."""
        self._all: Sequence[Item] = ()
        self._items: Sequence[Item] = ()
        self._cursor = 0
        self._top = 0

    def key_of(self, item: Item) -> Hashable:
        """What makes an item the same item after the next look at the record."""
        raise NotImplementedError

    def measure(self, items: Sequence[Item]) -> None:
        """Called before these items, which are in view, are painted."""

    def line_of(self, item: Item, width: int) -> Line:
        """An item as a line of `width` cells."""
        raise NotImplementedError

    def text_of(self, item: Item) -> str:
        """What a filter looks into."""
        raise NotImplementedError

    def selectable(self, item: Item) -> bool:
        """Whether the cursor can be on it."""
        return True

    def emptiness(self) -> Sequence[str]:
        """What would fill the pane and how, when there is nothing in it."""
        return ()

    @property
    def selected(self) -> Item | None:
        """The item under the cursor."""
        if 0 <= self._cursor < len(self._items) and self.selectable(self._items[self._cursor]):
            return self._items[self._cursor]
        return None

    @property
    def count(self) -> int:
        """How many items the cursor can be on."""
        return sum(1 for item in self._items if self.selectable(item))

    @property
    def every(self) -> Sequence[Item]:
        """All items, whatever the filter."""
        return self._all

    @property
    def at_end(self) -> bool:
        """Whether the cursor is on the last item."""
        return self._cursor >= len(self._items) - 1

    def start_over(self) -> None:
        """Other items will be shown: the cursor begins at the top, and no filter holds."""
        self.wanted, self._all, self._items, self._cursor, self._top = "", (), (), 0, 0

    def show(self, items: Sequence[Item]) -> None:
        """Shows these items. The cursor stays on the item it is on, or near where it was; `moved` is not called."""
        kept = None if self.selected is None else self.key_of(self.selected)
        self._all = items
        self._take(kept)

    def filter(self, wanted: str) -> None:
        """Shows only the items in which the words of `wanted` are."""
        kept = None if self.selected is None else self.key_of(self.selected)
        self.wanted = wanted
        self._take(kept)
        if kept != (None if self.selected is None else self.key_of(self.selected)):
            self.moved()

    def select(self, key: Hashable) -> bool:
        """Whether an item of that key is here; the cursor is on it then."""
        for index, item in enumerate(self._items):
            if self.selectable(item) and self.key_of(item) == key:
                self._go(index)
                return True
        return False

    def move(self, rows: int) -> None:
        """Moves the cursor down (up, if negative) by so many rows, as far as there are some."""
        step = 1 if rows > 0 else -1
        index = self._cursor
        for _ in range(abs(rows)):
            further = self._next(index, step)
            if further is None:
                break
            index = further
        self._go(index)

    def page(self, pages: int) -> None:
        """Moves the cursor by so many screenfuls."""
        self.move(pages * max(1, self.size.height - 1))

    def jump(self, *, end: bool) -> None:
        """Moves the cursor to the first or the last item."""
        found = self._next(len(self._items), -1) if end else self._next(-1, 1)
        if found is not None:
            self._go(found)

    def lines(self, width: int, height: int) -> list[Line]:
        """The rows that are in view."""
        if not self._items:
            words = [f"nothing matches '{self.wanted}'; escape shows all"] if self.wanted else self.emptiness()
            return [fit([(row, "dim")], width) for line in words for row in rows_of(line, width)]
        self._keep_in_view(height)
        in_view = self._items[self._top : self._top + height]
        self.measure(in_view)
        return [self.line_of(item, width) for item in in_view]

    def marked(self) -> int | None:
        """The line of the cursor."""
        return self._cursor - self._top if self.selected is not None else None

    def wanted_height(self, width: int) -> int:
        """How many lines all of it would take, whatever the filter: a frame must not jump while one types."""
        return len(self._all) or sum(len(rows_of(line, width)) for line in self.emptiness())

    def caption_now(self) -> None:
        """Writes into the frame what the pane is and where the cursor is in it."""
        total, here = self.count, sum(1 for item in self._items[: self._cursor + 1] if self.selectable(item))
        note = f"{here} of {total}" if len(self._items) > max(1, self.size.height) else ""
        if self.wanted:
            note = f"/{self.wanted}  {total} of {sum(1 for item in self._all if self.selectable(item))}"
        self.caption(self.heading, note)

    def resized(self) -> None:
        """Where the cursor is among the rows in view may have changed."""
        self.caption_now()

    def on_click(self, event: events.Click) -> None:
        """A click selects, a second one enters."""
        index = self._top + event.y - self.gutter.top
        if 0 <= index < len(self._items) and self.selectable(self._items[index]):
            again = index == self._cursor and event.chain > 1
            self._go(index)
            if again:
                self.screen.post_message(self.Entered())

    def on_mouse_scroll_down(self) -> None:
        """The wheel moves the cursor."""
        self.move(3)

    def on_mouse_scroll_up(self) -> None:
        """The wheel moves the cursor."""
        self.move(-3)

    def _take(self, kept: Hashable | None) -> None:
        if self.wanted:
            self._items = [one for one in self._all if self.selectable(one) and matches(self.text_of(one), self.wanted)]
        else:
            self._items = self._all
        at = next(
            (
                index
                for index, item in enumerate(self._items)
                if kept is not None and self.selectable(item) and self.key_of(item) == kept
            ),
            None,
        )
        marked = self.marked()
        if at is None:
            at = min(self._cursor, len(self._items) - 1)
            if at < 0 or not self.selectable(self._items[at]):
                at = self._next(at, 1) if self._next(at, 1) is not None else self._next(at, -1)
        self._cursor = at if at is not None else 0
        self._keep_in_view(self.size.height)
        self.repaint()
        if marked != self.marked():
            self.repaint_line(marked)
            self.repaint_line(self.marked())
        self.caption_now()

    def _go(self, index: int) -> None:
        if index == self._cursor:
            return
        marked = self.marked()
        self._cursor = index
        self._keep_in_view(self.size.height)
        self.repaint()
        self.repaint_line(marked)
        self.repaint_line(self.marked())
        self.caption_now()
        self.moved()

    def _next(self, index: int, step: int) -> int | None:
        index += step
        while 0 <= index < len(self._items):
            if self.selectable(self._items[index]):
                return index
            index += step
        return None

    def _keep_in_view(self, height: int) -> None:
        if height <= 0:
            return
        top = min(self._top, max(0, len(self._items) - height))
        top = min(top, self._cursor)
        trailing = self._cursor
        while trailing + 1 < len(self._items) and not self.selectable(self._items[trailing + 1]):
            trailing += 1
        self._top = max(top, min(self._cursor, trailing - height + 1), 0)


def _nobody() -> None:
    """Nobody asked to be told."""
