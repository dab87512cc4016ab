"""Breaking one long line into the rows of a pane, by cells and between words where there are some."""

from __future__ import annotations

from tui.text import cells

_LEAST = 12  # a row is not broken between words when that would leave less than this


def rows_of(text: str, width: int, hanging: int = 0) -> list[str]:
    """`text` as rows of at most `width` cells, all but the first indented; '' is one empty row.

    Only spaces at a break are left out.
    """
    if width <= 0 or cells(text) <= width:
        return [text if width > 0 else ""]
    indent = " " * min(hanging, width // 2)
    rows: list[str] = []
    rest = text
    while rest:
        before = indent if rows else ""
        head = _head(rest, width - len(before))
        if len(head) < len(rest) and rest[len(head)] != " ":
            space = head.rfind(" ")
            if space >= _LEAST:
                head = head[:space]
        rows.append(before + head)
        rest = rest[len(head) :]
        if rest.startswith(" "):
            rest = rest[1:]
    return rows


def _head(text: str, width: int) -> str:
    """As much of the beginning as fits, and at least one character."""
    if text[:width].isascii():
        return text[:width]
    fits, too_much = 1, min(len(text), width) + 1
    while too_much <= len(text) and cells(text[:too_much]) <= width:
        too_much *= 2  # characters that take no cell
    too_much = min(too_much, len(text) + 1)
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        if cells(text[:middle]) <= width:
            fits = middle
        else:
            too_much = middle
    return text[:fits]
