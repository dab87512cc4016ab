"""Which theme is shown: the settings' first, then what was chosen on screen before, then what suits the terminal."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from store.paths import open_private

if TYPE_CHECKING:
    from textual.theme import Theme

    from store.paths import Places

DARK, LIGHT = "textual-dark", "textual-light"
PLAIN_DARK, PLAIN_LIGHT = "ansi-dark", "ansi-light"
"""The terminal's own colours."""


class ThemeChoice:
    """Remembers a choice in a small file beside the record. Without colour only the terminal's own make sense."""

    def __init__(self, places: Places, configured: str | None, environment: Mapping[str, str]) -> None:
        self._file = places.state / "theme"
        self._configured = configured
        self._environment = environment
        self.note = ""
        """What must be said of a choice on screen."""

    def first(self, known: Container[str], *, no_color: bool) -> str:
        """The theme to begin with, one of the `known`."""
        light = _is_light(self._environment.get("COLORFGBG", ""))
        if no_color:
            return PLAIN_LIGHT if light else PLAIN_DARK
        if self._configured is not None and self._configured in known:
            self.note = ", until you leave: config.toml names another"
            return self._configured
        remembered = self._remembered()
        if remembered is not None and remembered in known:
            return remembered
        if not _many_colours(self._environment):
            return PLAIN_LIGHT if light else PLAIN_DARK
        return LIGHT if light else DARK

    def other(self, theme: Theme) -> str:
        """The counterpart of that brightness."""
        if theme.ansi:
            return PLAIN_LIGHT if theme.dark else PLAIN_DARK
        return LIGHT if theme.dark else DARK

    def keep(self, name: str) -> None:
        """Remembers it for the next time; a disk that takes nothing only costs the memory."""
        with suppress(OSError):
            descriptor = open_private(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"{name}\n")

    def _remembered(self) -> str | None:
        try:
            with os.fdopen(open_private(self._file, os.O_RDONLY), "r", errors="replace") as file:
                return file.read(100).strip()
        except OSError:
            return None


def _is_light(foreground_and_background: str) -> bool:
    background = foreground_and_background.rpartition(";")[2]
    return background.isdecimal() and int(background) in (7, *range(9, 16))


def _many_colours(environment: Mapping[str, str]) -> bool:
    known = environment.get("COLORTERM", "") in ("truecolor", "24bit")
    return known or "256" in environment.get("TERM", "") or "direct" in environment.get("TERM", "")
