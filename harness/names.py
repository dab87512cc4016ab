"""The rule for names of workflows, waves, agents and inputs."""

from __future__ import annotations

import unicodedata

LONGEST = 64


def fault_of_name(name: str) -> str | None:
    """What is wrong with `name`, as half a sentence behind it; `None` for a good one.

    Letters, marks and digits of any script, `.`, `_` and `-`; at most 64 characters, not starting with `.`. Marks
    belong to the letters before them (many scripts cannot be written without), so none may come first.
    """
    if not name:
        return "is empty"
    if len(name) > LONGEST:
        return f"has {len(name)} characters; {LONGEST} is the most"
    if name.startswith("."):
        return "starts with '.', which hides it"
    if unicodedata.category(name[0]).startswith("M"):
        return "starts with a mark that belongs to a letter before it"
    for one in name:
        if not (one in "._-" or unicodedata.category(one)[0] in "LM" or unicodedata.category(one) == "Nd"):
            shown = f"'{one}'" if one.isprintable() and not one.isspace() else f"U+{ord(one):04X}"
            if one == " ":
                shown = "a blank"
            return f"has {shown} in it; letters, digits, '.', '_' and '-' are what it can have"
    return None


def normal_name(name: str) -> str:
    """`name` in the one spelling that is compared and recorded (NFC): 'é' is one letter however it was typed."""
    return unicodedata.normalize("NFC", name)
