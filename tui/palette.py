"""The styles of tones under a theme. Colour is only ever a third hint, so all of it may be missing (NO_COLOR)."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color

_VARIABLES = {
    "red": "text-error",
    "green": "text-success",
    "yellow": "text-warning",
    "cyan": "text-primary",
}


class Palette:
    """What tones, the cursor and a found text look like, from the variables of a Textual theme.

    With `attributes_only` the cursor is told by reverse and bold alone, for terminals without colour.
    """

    def __init__(self, variables: Mapping[str, str], *, ansi: bool, attributes_only: bool) -> None:
        self._tones = {"": Style(), "bold": Style(bold=True)}
        for tone, variable in _VARIABLES.items():
            self._tones[tone] = Style(color=Color.parse(variables[variable]).rich_color)
        background = Color.parse(variables["background"])
        foreground = Color.parse(variables["foreground"])
        if ansi:
            self._tones["dim"] = Style(dim=True)
        else:
            self._tones["dim"] = Style(color=background.blend(foreground, 0.6).rich_color)
        self._tones["found"] = Style(reverse=True)
        if attributes_only:
            self._cursor, self._trace = Style(reverse=True), Style(bold=True, underline=True)
        elif ansi:
            self._cursor, self._trace = Style(reverse=True), Style(bold=True)
        else:
            cursor = Color.parse(variables["block-cursor-background"])
            self._cursor = Style(color=cursor.get_contrast_text(0.95).rich_color, bgcolor=cursor.rich_color, bold=True)
            self._trace = Style(bgcolor=background.blend(cursor, 0.25).rich_color)
        self._over: dict[tuple[Style, str], Style] = {}

    def tone(self, base: Style, tone: str) -> Style:
        """The style of text in `tone` where `base` is that of plain text."""
        key = (base, tone)
        found = self._over.get(key)
        if found is None:
            found = self._over[key] = base + self._tones[tone]
        return found

    def cursor(self, base: Style, *, focused: bool) -> Style:
        """The style of the selected row: under the hand, or only remembered."""
        return base + (self._cursor if focused else self._trace)
