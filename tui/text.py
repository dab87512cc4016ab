"""Text that others wrote, made fit for a terminal (A4), and measured in terminal cells.

Most text is plain; what makes the rest harmless lies in `hostile`, and rich, which knows the width of every character,
is asked only about characters that are not surely one cell wide.
"""

from __future__ import annotations

CUT = "~"  # '…' takes one or two cells, depending on the locale

_SURELY_ONE_CELL = "[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2400-\u2426\u2500-\u25fc\u2713\u2717]*"
_CODE_POINTS_PER_CELL = 8


def _one_cell_each(text: str) -> bool:
    """Whether rich, and with it the screen, gives every character one cell for certain; it is asked about the rest."""
    if text.isascii():
        return text.isprintable()
    import re

    return re.fullmatch(_SURELY_ONE_CELL, text) is not None


def harmless(text: str) -> str:
    """`text` with nothing but what can be seen: no controls but newlines, tabs expanded to columns of eight.

    Works line by line (the result for a line does not depend on its neighbours) and in linear time.
    """
    if text.isascii() and text.isprintable():
        return text
    from tui.hostile import tamed

    return tamed(text)


def harmless_bytes(data: bytes) -> str:
    """What an agent printed, made harmless; each byte that is not UTF-8 shows as one sign."""
    return harmless(data.decode("utf-8", "surrogateescape"))


def one_line(text: str) -> str:
    """`text` made harmless and put on one line, its white space drawn together."""
    return " ".join(harmless(text).split())


def cells(text: str) -> int:
    """How many terminal cells a harmless `text` without newlines takes."""
    if _one_cell_each(text):
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
    if _one_cell_each(head):
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
    """`text` as lines of at most `width` cells, each after `indent`, broken between words where that can be.

    `None`: one line. Nothing but blanks at a break is left out.
    """
    if width is None:
        return [indent + text]
    from tui.wrapping import rows_of

    return [indent + row for row in rows_of(text, max(1, width - len(indent)))]


def pad(text: str, width: int) -> str:
    """`text` clipped or filled with spaces to exactly `width` cells."""
    shown = clip(text, width)
    return shown + " " * (width - cells(shown))
