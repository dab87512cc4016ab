"""Making harmless what an agent printed: nothing in it can move the cursor, set the title, write the clipboard or hide.

A whole escape sequence is left out, as a terminal would not show it either; what is left of a broken one, any other
control and every invisible or direction-changing character becomes one visible sign. The journal keeps the bytes (A4).
"""

from __future__ import annotations

import re

TAB = 8
HIDDEN = "\u2426"  # ␦: something that would not have been seen stood here

_STRING_BODY = r"[^\n\x18\x1a\x1b\x80-\x9f"
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # CSI
    rf"|(?:\x1b\]|\x9d){_STRING_BODY}\x07]*+(?:\x07|\x1b\\|\x9c)"  # OSC, which BEL ends too
    rf"|(?:\x1b[PX^_k]|[\x90\x98\x9e\x9f]){_STRING_BODY}]*+(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC, a screen's title
    r"|\x1b[ -/]++[0-~]"
    r"|\x1b[0-OQ-WYZ\\`-jl-~]"
)
_CARRIAGE_RETURNS = re.compile(r"(?<!\r)\r++(?=\n|\Z)")

# Only choose how a neighbour is drawn, and terminals disagree on the width of the result: zero-width (non-)joiner,
# variation selectors.
_JOINERS = "\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Everything else that Unicode calls a format character, a separator of lines, or ignorable when not supported.
_INVISIBLE = (
    "\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
    "\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_UNSAFE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_JOINERS}{_INVISIBLE}]+")
_JOINER = re.compile(f"[{_JOINERS}]")
_CONTROL_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def tamed(text: str) -> str:
    """What `tui.text.harmless` gives, for text of any kind."""
    if "\r" in text:
        text = _CARRIAGE_RETURNS.sub("", text)
    text = _UNSAFE.sub(_shown, _SEQUENCE.sub("", text))
    return text.expandtabs(TAB) if "\t" in text else text


def _shown(found: re.Match[str]) -> str:
    kept = _JOINER.sub("", found[0])
    return "".join([_CONTROL_PICTURES.get(ord(character), HIDDEN) for character in kept])
