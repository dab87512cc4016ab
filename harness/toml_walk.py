"""Finding the line of every key of a TOML text.

The decoder that reads the values (`tomllib`) keeps no lines, so this walks the same text once, by its lexical rules
alone: headers, keys, strings, brackets. It accepts all of TOML and judges nothing; what is wrong is the decoder's to
say. It runs before the decoder, and refuses what would cost it quadratic time.
"""

from __future__ import annotations

import re

from harness.toml_lines import KeyPath, Lines

DEEPEST = 32

_BLANK = re.compile(r"[ \t]*+")
_BETWEEN = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]++")
_TRIPLE_BASIC = re.compile(r'"""(?:[^"\\]++|\\.|"(?!""))*+"""(?:"{0,2})', re.DOTALL)
_TRIPLE_LITERAL = re.compile(r"'''(?:[^']++|'(?!''))*+'''(?:'{0,2})")
_BASIC = re.compile(r'"(?:[^"\\\n]++|\\.)*+"')
_LITERAL = re.compile(r"'[^'\n]*+'")
_OTHER = re.compile(r"[^,\]}#\n]++")
_SCALARS = {'"': (_TRIPLE_BASIC, _BASIC), "'": (_TRIPLE_LITERAL, _LITERAL)}


class TooDeep(Exception):
    """Keys with more parts, or values nested deeper, than any honest file has."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class _Broken(Exception):
    """Not TOML from here on."""


def find_lines(text: str) -> Lines:
    """The places of all keys of `text`, as far as it is TOML. Line ends are LF. Raises `TooDeep`."""
    walk = _Walk(text)
    try:
        walk.document()
    except (_Broken, IndexError):
        walk.found.broken_at = walk.begun
    return walk.found


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.begun = 0
        self.found = Lines(text=text)
        self._set: set[KeyPath] = set()
        self._tables: dict[KeyPath, int] = {}  # the index of the newest table of each array of tables

    def document(self) -> None:
        around: KeyPath = ()
        while True:
            self._match(_BETWEEN)
            if self.at == len(self.text):
                return
            self.begun = self.at
            if self._next("[["):
                around = self._header(array=True)
            elif self._next("["):
                around = self._header(array=False)
            else:
                self._value(self._key_of_pair(around))
            self._match(_BLANK)
            if self.at < len(self.text) and self.text[self.at] not in "#\n":
                raise _Broken

    def _header(self, *, array: bool) -> KeyPath:
        start = self.at - 1
        path: KeyPath = ()
        *outer, last = self._key()
        for part in outer:
            path = self._newest(self._note((*path, part), start))
        path = self._note((*path, last), start)
        if array:
            self._tables[path] = self._tables.get(path, -1) + 1
            path = self._note(self._newest(path), start)
        elif not self._once(path, start):
            self.found.places[path] = start  # its own header speaks of a table more than one of a table inside it
        self._expect("]]" if array else "]")
        return path

    def _newest(self, path: KeyPath) -> KeyPath:
        return (*path, self._tables[path]) if path in self._tables else path

    def _key_of_pair(self, around: KeyPath) -> KeyPath:
        """The path of the key at this place, everything up to its value passed."""
        start = self.at
        path = around
        for part in self._key():
            path = self._note((*path, part), start)
        self._once(path, start)
        self._expect("=")
        self._match(_BLANK)
        self.found.values.setdefault(path, self.at)
        return path

    def _value(self, path: KeyPath) -> None:
        """Passes one value and notes what lies in it. A loop over what is open, for files that nest without end."""
        open_ones: list[tuple[str, KeyPath]] = []
        elements: list[int] = []
        while True:
            if self._next("["):
                open_ones.append(("]", path))
                elements.append(-1)
            elif self._next("{"):
                open_ones.append(("}", path))
                elements.append(-1)
            else:
                self._scalar()
            while open_ones:
                self._match(_BETWEEN)
                closing, around = open_ones[-1]
                if self._next(","):
                    continue
                if self._next(closing):
                    open_ones.pop()
                    elements.pop()
                    continue
                if closing == "]":
                    elements[-1] += 1
                    path = self._note((*around, elements[-1]), self.at)
                else:
                    path = self._key_of_pair(around)
                break
            else:
                return

    def _scalar(self) -> None:
        for pattern in _SCALARS.get(self.text[self.at], (_OTHER,)):
            found = pattern.match(self.text, self.at)
            if found is not None:
                self.at = found.end()
                return
        raise _Broken

    def _key(self) -> list[str]:
        parts = []
        while True:
            self._match(_BLANK)
            start = self.at
            quote = self.text[start]
            self._match({'"': _BASIC, "'": _LITERAL}.get(quote, _BARE_KEY))
            part = self.text[start : self.at]
            parts.append(_unquoted(part) if quote in "\"'" else part)
            self._match(_BLANK)
            if not self._next("."):
                return parts

    def _note(self, path: KeyPath, start: int) -> KeyPath:
        if len(path) > DEEPEST:
            raise TooDeep(self.found.line_at(start))
        self.found.places.setdefault(path, start)
        return path

    def _once(self, path: KeyPath, start: int) -> bool:
        """Whether this path was set before now; the first that was is kept."""
        before = path in self._set
        if before and self.found.repeated is None:
            self.found.repeated = (path, self.found.line_at(start))
        self._set.add(path)
        return before

    def _match(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _Broken
        self.at = found.end()

    def _next(self, sign: str) -> bool:
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def _expect(self, sign: str) -> None:
        if not self._next(sign):
            raise _Broken


def _unquoted(key: str) -> str:
    import tomllib

    try:
        return str(tomllib.loads(f"key={key}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _Broken from error
