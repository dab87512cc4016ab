"""What a person may have meant: the nearest of the names that would have been right."""

from __future__ import annotations

from collections.abc import Collection

_SHOWN = 64
_LISTED = 24


def nearest(word: str, names: Collection[str]) -> str | None:
    """The one of `names` that looks most like `word`, letter case aside; `None` when none is near."""
    import difflib

    by_folded = {name.casefold(): name for name in names}
    folded = word.casefold()[:_SHOWN]
    found = difflib.get_close_matches(folded, by_folded, n=1, cutoff=0.6)
    if found:
        return by_folded[found[0]]
    starting = [name for key, name in by_folded.items() if len(folded) > 1 and key.startswith(folded)]
    return starting[0] if len(starting) == 1 else None


def suggestion(word: str, names: Collection[str]) -> str:
    """What goes behind 'there is no such …': the nearest name, else the names there are."""
    near = nearest(word, names)
    if near is not None:
        return f"did you mean {quoted(near)}?"
    if not names:
        return "there are none"
    if len(names) > _LISTED:
        return f"there are {len(names)} to choose from"
    listed = [quoted(name) for name in names]
    if len(listed) == 1:
        return f"it can only be {listed[0]}"
    return f"it can be {', '.join(listed[:-1])} or {listed[-1]}"


def quoted(word: str) -> str:
    """`word` between quotes for a sentence: cut when long, and nothing in it can steer a terminal."""
    return f"'{harmless(word if len(word) <= _SHOWN else word[: _SHOWN - 1] + '…')}'"


def harmless(text: object) -> str:
    """The text in one line, uncut: what cannot be printed is written as its escape."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in str(text))
