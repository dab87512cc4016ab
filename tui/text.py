"""Text that others wrote, made fit for a terminal: nothing in it can move the cursor, set the title or hide (A4).

A whole escape sequence is left out, as a terminal would not show it either; what is left of a broken one, any other
control and every invisible or direction-changing character becomes one visible sign. The journal keeps the bytes.
"""

from __future__ import annotations

import re

TAB = 8
CUT = "~"  # '…' takes one or two cells, depending on the locale
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

# What rich, and with it the screen, gives one cell for certain; anything else is measured by rich itself.
_ONE_CELL_EACH = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2400-\u2426\u2500-\u25fc\u2713\u2717]*").fullmatch
_CODE_POINTS_PER_CELL = 8


def harmless(text: str) -> str:
    """`text` with nothing but what can be seen: no controls but newlines, tabs expanded to columns of eight.

    Works line by line (the result for a line does not depend on its neighbours) and in linear time.
    """
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = _CARRIAGE_RETURNS.sub("", text)
    text = _UNSAFE.sub(_shown, _SEQUENCE.sub("", text))
    return text.expandtabs(TAB) if "\t" in text else text


def _shown(found: re.Match[str]) -> str:
    kept = _JOINER.sub("", found[0])
    return "".join([_CONTROL_PICTURES.get(ord(character), HIDDEN) for character in kept])


def harmless_bytes(data: bytes) -> str:
    """What an agent printed, made harmless; each byte that is not UTF-8 shows as one sign."""
    return harmless(data.decode("utf-8", "surrogateescape"))


def one_line(text: str) -> str:
    """`text` made harmless and put on one line, its white space drawn together."""
    return " ".join(harmless(text).split())


def cells(text: str) -> int:
    """How many terminal cells a harmless `text` without newlines takes."""
    if _ONE_CELL_EACH(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def clip(text: str, width: int) -> str:
    """`text` in at most `width` cells; what was cut ends in `CUT`. The work is bounded by `width`, not by `text`."""
    if width <= 0:
        return ""
    head = text[: width * _CODE_POINTS_PER_CELL]
    if len(head) == len(text) and cells(text) <= width:
        return text
    if _ONE_CELL_EACH(head):
        return head[: width - 1] + CUT
    from rich.cells import split_graphemes

    spans, _ = split_graphemes(head)
    taken = end = 0
    for _, stop, size in spans:
        if taken + size > width - 1:
            break
        taken, end = taken + size, stop
    return head[:end] + CUT


def wrapped(text: str, width: int | None, *, indent: str = "") -> list[str]:
    """`text` as lines of at most `width` cells, each after `indent`, broken between words where it can be.

    `None`: one line. A word that is too long for a line is broken anywhere; nothing is left out.
    """
    if width is None:
        return [indent + text]
    room = max(2, width - len(indent))
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cells(longer) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = _broken(word, room)
        lines.extend(full)
    return [indent + one for one in (*lines, line)]


def _broken(word: str, room: int) -> list[str]:
    if cells(word) <= room:
        return [word]
    from rich.cells import chop_cells

    return chop_cells(word, room)


def pad(text: str, width: int) -> str:
    """`text` clipped or filled with spaces to exactly `width` cells."""
    shown = clip(text, width)
    return shown + " " * (width - cells(shown))
