"""The base of screens that list what waits for a person: rows of the record, and verbs that the watch is asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from store.errors import StoreError
from tui.actions import bindings
from tui.aside import aside
from tui.record_reader import RecordReader
from tui.widgets.footer import Footer
from tui.widgets.rows import Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from tui.midwatch import Midwatch

Hint = tuple[str, str]


class Listing(Screen[None], inherit_bindings=False):
    """Read again after every answer: another terminal may have done something too.

    A subclass says what its rows are, what is read of one, and has bindings of its own for what it asks.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(("down", "up", "page-down", "page-up", "top", "bottom")),
        Binding("enter,right,l", "read", show=False),
        Binding("escape,left,h,q", "leave", show=False),
    ]
    KEYS: ClassVar[Sequence[Hint]] = ()
    """Hints beside `back`, which are given while there is a row."""

    def __init__(self, rows: Rows[Any], *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.rows = rows
        self.footer = Footer(id="footer")

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def found(self, connection: sqlite3.Connection) -> Sequence[Hashable]:
        """What is listed now."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The list and the keys."""
        yield self.rows
        yield self.footer

    def on_mount(self) -> None:
        """Shows what is open."""
        self.rows.focus()
        self.rows.caption_now()
        self.look()

    def look(self) -> None:
        """Reads the record and shows it."""
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            self.rows.show([] if connection is None else self.found(connection))
        except (StoreError, sqlite3.Error) as error:
            self.say(str(error), "red")
        finally:
            reader.close()
        self.footer.show([*(self.KEYS if self.rows.count else ()), ("esc", "back")])

    def action_act(self, action: str) -> None:
        """Moves the hand."""
        self.hush()
        match action:
            case "down" | "up":
                self.rows.move(1 if action == "down" else -1)
            case "page-down" | "page-up":
                self.rows.page(1 if action == "page-down" else -1)
            case "top" | "bottom":
                self.rows.jump(end=action == "bottom")

    def action_read(self) -> None:
        """All there is to the row under the hand."""

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.action_read()

    def action_leave(self) -> None:
        """Back."""
        self.dismiss(None)

    def ask(self, asked: Callable[[], str], waiting: str, done: str) -> None:
        """Asks the watch in a thread; `asked` gives why it did not do it, or ''."""
        self.say(waiting, "")

        def answered(problem: str) -> None:
            self.look()
            self.say(problem or done, "red" if problem else "")

        aside(self, asked, answered)

    def say(self, sentence: str, tone: str) -> None:
        """A sentence in the footer, until the next key."""
        self.footer.say(sentence, tone)
        self.footer.styles.height = max(1, self.footer.wanted_height(self.app.size.width))

    def hush(self) -> None:
        """The sentence goes."""
        self.footer.hush()
        self.footer.styles.height = 1
