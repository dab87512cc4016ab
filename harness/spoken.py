"""The inside of one Markdown block, word for word: what a reader sees, and what of it is the writer's own saying.

Code, pictures and struck-out text are seen and not said. Code between backticks that rejects or blocks, and is nothing
else, is said all the same; code that accepts is marked apart, for whoever knows where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.signals import whole
from store.model import Verdict

if TYPE_CHECKING:
    from markdown_it.token import Token

MASK = "\ufffc"  # in place of each character that is not said
CODE = "\ue000"  # the same, for code between backticks
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One inline token: `text` as seen, `said` of the same length with everything masked that is not said."""

    type: str
    text: str
    said: str

    @property
    def ends_line(self) -> bool:
        """Whether the next word begins a line."""
        return self.type == "softbreak" or self.text == "\n"


def words(tokens: Sequence[Token]) -> list[Word]:
    """The words of these inline tokens, one for each. A line that is only wrapped is said in one go."""
    found, struck = [], 0
    for token in tokens:
        struck += token.nesting if token.type in ("s_open", "s_close") else 0
        text, said = _seen_and_said(token)
        found.append(Word(type=token.type, text=text, said=MASK * len(text) if struck else said))
    return found


def _seen_and_said(token: Token) -> tuple[str, str]:
    content = token.content
    match token.type:
        case "text" | "text_special":
            return content, content
        case "softbreak":
            return "\n", " "
        case "hardbreak":
            return "\n", "\n"
        case "code_inline":
            decides = whole(content) in (Verdict.REJECTED, Verdict.BLOCKED)
            return content, content if decides else CODE * len(content)
        case "html_inline" if _BREAK.fullmatch(content):
            return "\n", "\n"
        case "image":
            return content, MASK * len(content)
    return "", ""


def said(found: Sequence[Word]) -> str:
    """What these words say together."""
    return "".join(word.said for word in found)


def end_of_bold(found: Sequence[Word], start: int) -> int:
    """The place behind the bold run whose first word is at `start`."""
    depth = 1
    while depth and start < len(found):
        depth += {"strong_open": 1, "strong_close": -1}.get(found[start].type, 0)
        start += 1
    return start
