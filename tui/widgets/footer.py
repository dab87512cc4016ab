"""The last lines: the few keys that do something now, or one sentence about what was just done; news above them."""

from __future__ import annotations

from collections.abc import Sequence

from tui.lines import Line, Span, ends, fit, length
from tui.text import one_line, wrapped
from tui.tilde import with_tilde
from tui.widgets.painted import Painted


class Footer(Painted):
    """One line across the screen."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._hints: Sequence[tuple[str, str]] = ()
        self._said: tuple[str, str] | None = None
        self._news: tuple[str, str] | None = None

    def remind(self, key: str, sentence: str) -> None:
        """Keeps a sentence above the keys, with the key that tells more; '' takes it away."""
        self._news = (key, one_line(sentence)) if sentence else None
        self.repaint()

    def show(self, hints: Sequence[tuple[str, str]]) -> None:
        """Offers these keys, each with its word, most useful first."""
        self._hints = hints
        self.repaint()

    def say(self, sentence: str, tone: str = "") -> None:
        """Shows a sentence in place of the keys, until the next key."""
        self._said = (with_tilde(one_line(sentence)), tone)
        self.repaint()

    def hush(self) -> None:
        """Shows the keys again."""
        if self._said is not None:
            self._said = None
            self.repaint()

    def wanted_height(self, width: int) -> int:
        """A sentence that does not fit on a line takes up to three; news takes up to two more."""
        return (1 if self._said is None else min(3, len(self._sentence(width)))) + len(self._news_lines(width))

    def _sentence(self, width: int) -> list[str]:
        return [] if self._said is None else wrapped(self._said[0], width - 1, indent=" ")

    def lines(self, width: int, height: int) -> list[Line]:
        """As many hints as fit whole; the last two (help and quit) are always there."""
        news = self._news_lines(width)[: max(0, height - 1)]
        if self._said is not None:
            return [*news, *(fit([(line, self._said[1])], width) for line in self._sentence(width))]
        kept = [_hint(key, word) for key, word in self._hints]
        while len(kept) > 2 and sum(length(hint) for hint in kept) > width:
            kept.pop(-3)
        return [*news, fit([span for hint in kept for span in hint], width)]

    def _news_lines(self, width: int) -> list[Line]:
        if self._news is None:
            return []
        key, sentence = self._news
        more = [(f" {key}", "bold"), (" more ", "dim")]
        first, *rest = wrapped(sentence, width - 1 - length(more), indent=" ")
        return [ends([(first, "yellow")], more, width), *(fit([(line, "yellow")], width) for line in rest[:1])]


def _hint(key: str, word: str) -> list[Span]:
    return [(f" {key}", "bold"), (f" {word} ", "dim")]
