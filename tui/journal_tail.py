"""Reading a journal from its start on, also while it grows, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 16
LONGEST_LINE = 1 << 20  # of a longer one each such piece is a line


class JournalTail:
    """The bytes of one journal, each once. A file that is not there (yet, or any more) has none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def chunks(self) -> Iterator[bytes]:
        """What was appended since the last time, up to what is there now."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            file.seek(self._offset)
            while chunk := file.read(CHUNK):
                self._offset += len(chunk)
                yield chunk


class Lines:
    """Chunks of bytes into lines, whatever comes."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def take(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that are complete with this chunk, without their newlines."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._begun += chunk[start:end]
            yield self._rest()
            start = end + 1
        self._begun += chunk[start:]
        while len(self._begun) >= LONGEST_LINE:
            piece = bytes(self._begun[:LONGEST_LINE])
            del self._begun[:LONGEST_LINE]
            yield piece

    def end(self) -> Iterator[bytes]:
        """What stands after the last newline, if anything does."""
        if self._begun:
            yield self._rest()

    def _rest(self) -> bytes:
        line = bytes(self._begun)
        self._begun.clear()
        return line
