"""From the bytes of a journal to its lines, in little memory whatever an agent prints."""

from __future__ import annotations

LONGEST = 4 << 20
"""Bytes; a line up to this is given whole."""
KEPT = 64 << 10
"""Bytes; as much as is given of a longer one."""


class CutLine(bytes):
    """The beginning of a line that is longer than `LONGEST`; the whole of it is in the journal."""

    length: int
    """Bytes of the whole line, without its newline."""


class Lines:
    """Frames lines. The same bytes give the same lines, however they are cut into chunks."""

    def __init__(self, *, longest: int = LONGEST, kept: int = KEPT) -> None:
        self._longest = longest
        self._kept = kept
        self._parts: list[bytes] = []
        self._held = 0
        self._length = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their newlines; one over `LONGEST` as a `CutLine`."""
        *lines, rest = chunk.split(b"\n")
        if lines and self._length:
            self._hold(lines[0])
            lines[0] = self._take()
        if len(chunk) > self._longest:
            lines = [self._cut(line, len(line)) if len(line) > self._longest else line for line in lines]
        if rest:
            self._hold(rest)
        return lines

    def end(self) -> list[bytes]:
        """The last line, if it had no newline."""
        return [self._take()] if self._length else []

    def _hold(self, part: bytes) -> None:
        """Keeps a part of a line that is not complete: all of it, or its beginning once it is too long."""
        self._length += len(part)
        if self._length <= self._longest or self._held < self._kept:
            self._parts.append(part)
            self._held += len(part)
        if self._length > self._longest and self._held > self._kept:
            self._parts = [b"".join(self._parts)[: self._kept]]
            self._held = self._kept

    def _take(self) -> bytes:
        line, length = b"".join(self._parts), self._length
        self._parts, self._held, self._length = [], 0, 0
        return line if length <= self._longest else self._cut(line, length)

    def _cut(self, line: bytes, length: int) -> CutLine:
        if isinstance(line, CutLine):
            return line
        cut = CutLine(line[: self._kept])
        cut.length = length
        return cut
