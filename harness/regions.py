"""The regions that an agent labelled in its answer (O6), found with a Markdown parser and never by scanning prose.

A label is a heading, or a bold run at the start of a line (of a paragraph, a list item or a heading), whose text ends
in the word 'verdict' or 'blocked'; a bold run may also only begin with one ('**Verdict: GO**'). 'Not blocked' is none.
The region runs to the next heading or label.

Code, quotations, HTML, pictures, struck-out text and boxes left unticked are a tool's words, or somebody else's: they
label nothing and decide nothing, but take up their room. One exception, for people do write 'Verdict: `GO`': code
between backticks that is one decision and nothing else. It may reject or block wherever it stands; it accepts only
where it opens the region and no word goes on behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.markdown import Markdown
from harness.signals import normal, whole
from harness.spoken import CODE, MASK, Word, end_of_bold, said, words
from store.model import Verdict

_KEPT = 4_000  # characters of a region; a window is far smaller, but invisible characters do not count in it
_LABEL = re.compile(r"(?:.*\W)?(verdict|blocked)\s*:?", re.IGNORECASE | re.DOTALL)
_OPENING = re.compile(r"(?:.*?\W)?(verdict|blocked)\s*(?::|\s-\s|[\u2013\u2014])", re.IGNORECASE | re.DOTALL)
_MENTIONED = re.compile(r"verdict|blocked", re.IGNORECASE)
_DENIAL = r"(?:non?|not|never|nothing|none|nobody|\w+n't)"
_NOT_BLOCKED = re.compile(rf"\b{_DENIAL}(?:[ -]\w+){{0,2}}[ -]blocked\W*\Z", re.IGNORECASE)
_MAY_BEGIN_BOLD = re.compile(r"^[^\S\n]*[*_<]|<br", re.MULTILINE | re.IGNORECASE)
_UNTICKED = re.compile(r"\s*(?:\[ ?\]|\u2610)")
_OPENING_CODE = re.compile(rf"[\s:]*({CODE}+)(?=\s*(?:$|\n|[^\w\s]))")


class Label(StrEnum):
    """What a region is labelled as."""

    VERDICT = "verdict"
    BLOCKED = "blocked"


@dataclass(frozen=True, kw_only=True, slots=True)
class Region:
    """What follows a label, at most some thousand characters of it.

    `text` is all of it as a reader sees it; `said` has one sign for each of the same characters, those that decide
    nothing masked.
    """

    label: Label
    text: str
    said: str


def regions(answer: str) -> list[Region]:
    """The labelled regions of `answer`, in their order. Raises `Unreadable`."""
    walk = _Walk(Markdown(answer.removeprefix("\ufeff")))
    walk.blocks()
    return [draft.finished() for draft in walk.found]


class _Draft:
    """A region that is still being read."""

    def __init__(self, label: Label) -> None:
        self.label = label
        self.text = self.said = ""

    @property
    def full(self) -> bool:
        return len(self.text) >= _KEPT

    def add(self, text: str, said: str) -> None:
        self.text += text[:_KEPT]
        self.said += said[:_KEPT]

    def add_masked(self, text: str) -> None:
        self.add(text, MASK * min(len(text), _KEPT))

    def finished(self) -> Region:
        opening = _OPENING_CODE.match(self.said)
        said = self.said
        if opening is not None and whole(self.text[slice(*opening.span(1))]) is Verdict.ACCEPTED:
            said = self.text[: opening.end(1)] + said[opening.end(1) :]
        return Region(label=self.label, text=self.text, said=said)


class _Walk:
    """Goes through the blocks of an answer once; `found` are the regions, `_open` the one that is being read."""

    def __init__(self, markdown: Markdown) -> None:
        self.found: list[_Draft] = []
        self._markdown = markdown
        self._open: _Draft | None = None

    def blocks(self) -> None:
        quoted, heading, cell = 0, False, False
        for token in self._markdown.blocks:
            match token.type:
                case "blockquote_open" | "blockquote_close":
                    quoted += token.nesting
                case "heading_open":
                    heading = True
                    self._open = self._open if quoted else None
                case "heading_close":
                    heading = False
                case "th_open" | "td_open" | "th_close" | "td_close":
                    cell = token.nesting == 1
                case "inline" if heading and not quoted:
                    self._heading(token.content)
                case "inline" if not quoted:
                    self._lines(token.content, may_label=not cell)
                case "inline" | "fence" | "code_block" | "html_block":
                    if self._open is not None and not self._open.full:
                        self._open.add("\n", "\n")
                        self._open.add_masked(token.content)

    def _heading(self, content: str) -> None:
        if not _mentions_label(content):
            return
        inside = words(self._markdown.inside(content))
        label = _label(_LABEL.fullmatch(normal(said(inside)).strip()))
        if label is not None:
            self._begin(label)
        else:
            self._line_by_line(inside, may_label=True)

    def _lines(self, content: str, *, may_label: bool) -> None:
        may_label = may_label and _MAY_BEGIN_BOLD.search(content) is not None and _mentions_label(content)
        if self._open is not None and not self._open.full:
            self._open.add("\n", "\n")
        elif not may_label:
            return
        self._line_by_line(words(self._markdown.inside(content)), may_label=may_label)

    def _line_by_line(self, inside: Sequence[Word], *, may_label: bool, skip: int = 0) -> None:
        """Adds what these words say, but for the first `skip` characters, to the open region; opens new ones."""
        at_start, unticked, place = True, False, 0
        while place < len(inside):
            word = inside[place]
            place += 1
            if may_label and at_start and word.type == "strong_open":
                end = end_of_bold(inside, place)
                if self._bold(inside[place:end]):
                    at_start, place = False, end
                    continue
            unticked = not word.ends_line and (unticked or (at_start and _UNTICKED.match(word.said) is not None))
            if self._open is not None:
                if unticked:
                    self._open.add_masked(word.text[skip:])
                else:
                    self._open.add(word.text[skip:], word.said[skip:])
            skip = max(0, skip - len(word.text))
            at_start = word.ends_line or (at_start and not word.text.strip())

    def _bold(self, inside: Sequence[Word]) -> bool:
        """Whether the bold run of these words is a label; if so, what stands behind it in the run is read."""
        run = said(inside)
        all_of_it = _LABEL.fullmatch(normal(run).strip())
        opening = None if all_of_it is not None else _OPENING.match(normal(run))
        label = _label(all_of_it or opening)
        if label is None:
            return False
        self._begin(label)
        if opening is not None:
            self._line_by_line(inside, may_label=False, skip=_length_of(run, opening.end()))
        return True

    def _begin(self, label: Label) -> None:
        self._open = _Draft(label)
        self.found.append(self._open)


def _mentions_label(content: str) -> bool:
    """Whether a label may be in there; spares the parser most of an answer."""
    if "&" in content or "<" in content:
        return True
    return _MENTIONED.search(re.sub(r"[\W_]+", "", normal(content))) is not None


def _label(found: re.Match[str] | None) -> Label | None:
    if found is None:
        return None
    if found[1][0] in "vV":
        return Label.VERDICT
    return None if _NOT_BLOCKED.search(found[0]) else Label.BLOCKED


def _length_of(text: str, count: int) -> int:
    """How many characters of `text` become the first `count` of its normal form."""
    for place, character in enumerate(text):
        if count <= 0:
            return place
        count -= len(normal(character))
    return len(text)
