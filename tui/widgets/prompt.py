"""One line to type into, in place of the footer: the words of a filter or a search."""

from __future__ import annotations

from textual import events
from textual.message import Message

from tui.lines import Line, ends
from tui.text import cells, one_line
from tui.widgets.painted import Painted

LONGEST = 200


class Prompt(Painted, can_focus=True):
    """Tells every change of the words, so that a list follows while one types."""

    class Changed(Message):
        """The words are others."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Done(Message):
        """Enter (`kept`) or escape was pressed."""

        def __init__(self, words: str, *, kept: bool) -> None:
            super().__init__()
            self.words = words
            self.kept = kept

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._words = ""
        self._hint = ""

    def begin(self, words: str, hint: str) -> None:
        """Takes the keyboard, with these words to go on from."""
        self._words, self._hint = words, hint
        self.display = True
        self.focus()
        self.repaint()

    def lines(self, width: int, height: int) -> list[Line]:
        """`/words_                 enter keeps it, escape shows all`."""
        shown = self._words
        while cells(shown) > max(8, width - 4):
            shown = shown[1:]
        return [ends([(" /", "bold"), (shown, ""), (" ", "found")], [(f"{self._hint} ", "dim")], width)]

    def on_key(self, event: events.Key) -> None:
        """Every key is for the words, but for those that lead away."""
        if event.key in ("ctrl+c", "ctrl+p", "tab", "shift+tab"):
            return
        event.stop()
        event.prevent_default()
        if event.key in ("enter", "escape"):
            self.display = False
            self.post_message(self.Done(self._words, kept=event.key == "enter"))
        elif event.key == "backspace":
            self._become(self._words[:-1])
        elif event.key == "ctrl+u":
            self._become("")
        elif event.is_printable and event.character:
            self._become(self._words + event.character)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted is typed, on one line."""
        event.stop()
        self._become(self._words + one_line(event.text))

    def _become(self, words: str) -> None:
        if words != self._words:
            self._words = words[:LONGEST]
            self.repaint()
            self.post_message(self.Changed(self._words))
