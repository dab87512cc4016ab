"""Markdown whose parsing is bounded, whatever an agent wrote.

The bounds count steps and characters, not time: the same answer reads the same on a slow machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

LARGEST = 1 << 20  # characters
_DEEPEST = 20  # containers within containers; what is deeper the parser would leave out without a word
_BLOCK_STEPS = 150_000  # ordinary Markdown of the largest size takes 30,000 to 70,000
_INLINE_CHARACTERS = 1 << 17
_CONTAINERS = ("blockquote_open", "list_item_open")


class Unreadable(Exception):
    """A text that is not parsed, or not to its end; the message is a sentence without a full stop."""


class Markdown:
    """One text, its blocks at once and their inside on demand. CommonMark with tables and struck-out text.

    Raises `Unreadable` for a text over `LARGEST` characters and for one that would take far more work than its size.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LARGEST:
            raise Unreadable(f"it has {len(text):,} characters, and only up to {LARGEST:,} are read")
        from markdown_it import MarkdownIt

        self._parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
        self._parser.enable(["table", "strikethrough"]).disable(["inline", "text_join"])
        self._parser.block.ruler.before(
            "table", "bound", self._bound, {"alt": ["paragraph", "reference", "blockquote", "list"]}
        )
        self._steps_left = _BLOCK_STEPS
        self._characters_left = _INLINE_CHARACTERS
        self._references: dict[str, Any] = {}
        self.blocks: list[Token] = self._parser.parse(text, self._references)
        if any(token.type in _CONTAINERS and token.level + 1 >= _DEEPEST for token in self.blocks):
            raise Unreadable("its lists and quotations are nested too deep to be read")

    def inside(self, content: str) -> list[Token]:
        """The tokens of the inside of one block: text, emphasis, code, links, breaks."""
        self._characters_left -= len(content)
        if self._characters_left < 0:
            raise Unreadable("its headings and labelled regions are too long to be read")
        tokens: list[Token] = []
        self._parser.inline.parse(content, self._parser, self._references, tokens)
        return tokens

    def _bound(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """A rule that matches nothing; the parser asks it about every line, once for each thing the line could end."""
        self._steps_left -= 1
        if self._steps_left < 0:
            raise Unreadable("its structure takes too much work to be read")
        return False
