"""Copying over SSH: the terminal itself is asked to (OSC 52), so nothing here knows whether it did."""

from __future__ import annotations

from base64 import b64encode

MOST = 74_994
"""Bytes after encoding; many terminals drop a longer one without a word."""


class TooLong(Exception):
    """More text than terminals take; half of it would be worse than none."""

    def __init__(self, length: int) -> None:
        super().__init__(f"{length} characters are too many for the clipboard of a terminal")


def osc52(text: str, *, in_tmux: bool) -> str:
    """The sequence that puts `text` on the clipboard; inside tmux also in the form that tmux hands through.

    Raises `TooLong`.
    """
    encoded = b64encode(text.encode()).decode("ascii")
    if len(encoded) > MOST:
        raise TooLong(len(text))
    sequence = f"\x1b]52;c;{encoded}\x07"
    return f"{sequence}\x1bPtmux;\x1b{sequence}\x1b\\" if in_tmux else sequence
