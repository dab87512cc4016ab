"""The words that decide inside a labelled region (O6): the contract's table, and nothing else.

Whole words; the longest at the earliest place wins. Where a reading could go wrong, it may come out as no decision and
never as an approval that was not given: an accepting word counts only if nothing is joined to it, and a refusal reaches
over a whole clause ('cannot in good conscience approve'). A choice still open ('GO / NO-GO') decides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from store.model import Verdict

_LIKE_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u2032\u00b4`"), "'")
_LIKE_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212"), "-")

# A rejecting word ends at anything but a Latin letter; an accepting one must stand apart from every script, from
# paths, calls and file names, and from the other half of a compound.
_START, _END = r"(?<![0-9A-Za-z_\xc0-\u024f])", r"(?![0-9A-Za-z_\xc0-\u024f])"
_APART, _ALONE = r"(?<![\w/\\.@$#-])", r"(?![\w/\\@$(-]|[.'][^\W_])"
_JOIN = r"[^\w\n.,;:!?\u2014\u2013]++"  # between two words of one clause; quotation marks and brackets are passed over
_JOINED = r"(?:[^\S\n]|[_-])++"

_ORDINAL = (
    r"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|final|another)"
)
_NOUN = rf"(?:(?:an?|the|{_ORDINAL}){_JOIN}pass(?:ed|es)?|an?{_JOIN}\w+{_JOIN}pass)"
_ACCEPTING = r"(?:approved?|accept(?:ed)?|pass(?:ed|es)?|lgtm|(?-i:GO)(?!\s+ahead))"
_REJECTING = (
    rf"(?:no(?:{_JOINED}|\u2013)go|reject(?:ed)?|fail(?:ed|s|ures)|fail(?:ure)?(?!-\w)"
    rf"|changes{_JOINED}requested|request(?:ing)?{_JOINED}changes|needs{_JOINED}changes)"
)

_CAN = rf"(?:can'?t|cannot|can{_JOIN}not|could{_JOIN}not|couldn'?t|unable{_JOIN}to)"
_NOT = rf"(?:not|never|neither|nor|\w+n't|(?:ca|do|is|wo|does|did|was|are|could|should|would)nt|{_CAN})"
_PARENTHESIS = r"(?:\s*,[^,.;:!?\n]{1,60},)?"
_NEW_CLAUSE = r"(?:and|but|so|then|hence|therefore|only|just|merely)\b"
_REFUSAL = (
    rf"{_START}{_NOT}(?:{_JOIN}an?{_JOIN}pass"
    rf"|{_PARENTHESIS}(?:{_JOIN}|_)(?:(?!{_NEW_CLAUSE}|{_NOUN}\b)[^\W_][\w']*+{_JOIN}){{0,8}}?{_ACCEPTING}){_END}"
)
_VERB = r"(?:run|test|verify|check|review|build|start|access|reproduce|complete|proceed)"
_INABILITY = rf"{_CAN}{_JOIN}(?:(?:be|even|yet|\w+ly){_JOIN}){{0,3}}?{_VERB}"

_WORD = rf"(?:{_ACCEPTING}|{_REJECTING}|blocked)"
_OR = r"(?:\s*+[/|]\s*+|\s++or\s++)"
_CHOICE = rf"{_APART}{_WORD}(?:{_OR}{_WORD})+{_END}"

# In the order in which they hold where several begin at one place; `None` takes its words out of the reading.
_READERS: tuple[tuple[re.Pattern[str], Verdict | None], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), verdict)
    for pattern, verdict in (
        (_CHOICE, None),
        (rf"{_START}{_NOUN}{_END}", None),
        (rf"{_START}(?:blocked|{_INABILITY}){_END}", Verdict.BLOCKED),
        (_REFUSAL, Verdict.REJECTED),
        (rf"{_START}{_REJECTING}{_END}", Verdict.REJECTED),
        (rf"{_APART}{_ACCEPTING}{_ALONE}", Verdict.ACCEPTED),
    )
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """A decision, and the words that made it."""

    verdict: Verdict
    words: str


def normal(text: str) -> str:
    """`text` with one way of writing each sign: full-width forms, apostrophes and hyphens; invisible signs are gone."""
    text = text.translate(_LIKE_APOSTROPHES).translate(_LIKE_HYPHENS)
    text = unicodedata.normalize("NFKC", text).translate(_LIKE_APOSTROPHES)
    return "".join(one for one in text if unicodedata.category(one) != "Cf")


def first_signal(text: str, *, within: int) -> Signal | None:
    """The first signal that lies wholly in the first `within` characters of `text`, which is `normal`.

    What follows them is looked at only to see where a word ends.
    """
    at = 0
    while True:
        found = [
            (match.start(), rank, match)
            for rank, (reader, _) in enumerate(_READERS)
            if (match := reader.search(text, at))
        ]
        if not found:
            return None
        start, rank, match = min(found, key=lambda one: one[:2])
        if start >= within:
            return None
        verdict = _READERS[rank][1]
        if rank == 0:
            verdict = _agreed(match[0])
        if verdict is not None and match.end() <= within:
            return Signal(verdict=verdict, words=match[0])
        at = match.end() if verdict is None else start + 1


def _agreed(choice: str) -> Verdict | None:
    verdicts = {whole(word) for word in re.split(_OR, choice, flags=re.IGNORECASE)}
    return verdicts.pop() if len(verdicts) == 1 else None


def whole(text: str) -> Verdict | None:
    """What `text` decides when it is one signal and nothing else."""
    text = normal(text).strip()
    signal = first_signal(text, within=len(text))
    return signal.verdict if signal is not None and signal.words == text else None
