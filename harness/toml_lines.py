"""On which line of a TOML file each key stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]

_BREAK_IN_BASIC = re.compile(r"\\[ \t]*\n[ \t\n]*|\\u000[aA]|\\U0000000[aA]|\\.|\n", re.DOTALL)
_MADE_BREAKS = frozenset({"\n", "\\n", "\\u000a", "\\u000A", "\\U0000000a", "\\U0000000A"})


@dataclass(kw_only=True, slots=True)
class Lines:
    """Where each key path of one text stands. Lines count from 1; an array's elements have an index in their path."""

    text: str
    places: dict[KeyPath, int] = field(default_factory=dict)
    """The offset of the key, header or element that first speaks of a path."""
    values: dict[KeyPath, int] = field(default_factory=dict)
    """The offset at which the value of a key begins."""
    repeated: tuple[KeyPath, int] | None = None
    """A key that was set before, and where it is set again."""
    broken_at: int | None = None
    """Where the statement begins that is not to its end TOML, when there is one."""
    _breaks: list[int] = field(default_factory=list)

    def line(self, path: KeyPath) -> int:
        """The line of this path, else of the nearest thing around it, else 1."""
        while path and path not in self.places:
            path = path[:-1]
        return self.line_at(self.places[path]) if path else 1

    def line_at(self, offset: int) -> int:
        """The line of one place in the text."""
        if not self._breaks:
            self._breaks = [-1, *(found.start() for found in re.finditer("\n", self.text))]
        return bisect_right(self._breaks, offset - 1)

    def line_within(self, path: KeyPath, line: int) -> int:
        """The line of the file on which line number `line` of the string at `path` stands."""
        start = self.values[path]
        quotes = self.text[start : start + 3]
        if quotes not in ('"""', "'''"):
            return self.line_at(start)
        start += 3
        if self.text.startswith("\n", start):
            start += 1
        if quotes == "'''":
            return self.line_at(start) + line - 1
        seen = 1
        for found in _BREAK_IN_BASIC.finditer(self.text, start):
            if seen == line:
                return self.line_at(found.start())
            seen += found[0] in _MADE_BREAKS
        return self.line_at(len(self.text))
