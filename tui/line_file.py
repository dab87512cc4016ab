"""The lines of a growing file by number, without reading all of it: one entry for every 64 KiB, however long the lines.

One thread calls `grow`; any other may read what has been counted so far.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict

CHUNK = 1 << 16
LONGEST = 1 << 14
"""Bytes of one line that are given out; the rest of it is only in the file."""
_KEPT = 16  # chunks whose line breaks are remembered
_NEWLINE = re.compile(b"\n")


class LineFile:
    """Lines are split at newlines; what stands after the last newline is a line too."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.size = 0
        """Bytes that have been counted."""
        self._before = array("Q", [0])  # newlines before each chunk
        self._newlines = 0
        self._breaks: OrderedDict[tuple[int, int], list[int]] = OrderedDict()

    @property
    def count(self) -> int:
        """How many lines have been counted."""
        return self._newlines + (1 if self.size > self._end_of_last else 0)

    _end_of_last = 0  # just behind the last newline

    def grow(self, most: int = 64 * CHUNK) -> bool:
        """Counts on, by at most so many bytes; whether there was anything new."""
        begun = self.size
        while self.size - begun < most:
            room = CHUNK - self.size % CHUNK
            data = os.pread(self.descriptor, room, self.size)
            if not data:
                break
            found = data.count(b"\n")
            if found:
                self._end_of_last = self.size + data.rindex(b"\n") + 1
            self._newlines += found
            self.size += len(data)
            if self.size % CHUNK == 0:
                self._before.append(self._newlines)
        return self.size > begun

    def line(self, number: int) -> bytes:
        """The line of that number, from 0, without its newline; b'' beyond the last, cut to `LONGEST` bytes."""
        start = self._start(number)
        if start is None:
            return b""
        data = os.pread(self.descriptor, min(LONGEST, max(0, self.size - start)), start)
        end = data.find(b"\n")
        return data if end < 0 else data[:end]

    def length(self, number: int) -> int:
        """How many bytes the line has, however many."""
        start, after = self._start(number), self._start(number + 1)
        if start is None:
            return 0
        return (self.size if after is None else after - 1) - start

    def find(self, wanted: re.Pattern[bytes], start: int, *, backwards: bool) -> int | None:
        """The nearest line from `start` on (or before it) in which `wanted` is; looks at the file chunk by chunk."""
        if backwards:  # from where that line ends
            order = range(bisect_right(self._before, start) - 1, -1, -1)
        else:  # from where it begins
            order = range(max(0, bisect_right(self._before, start - 1) - 1), len(self._before))
        for chunk in order:
            found = [
                line for line in self._lines_with(wanted, chunk) if (line <= start if backwards else line >= start)
            ]
            if found:
                return found[-1] if backwards else found[0]
        return None

    def _lines_with(self, wanted: re.Pattern[bytes], chunk: int) -> list[int]:
        begin = max(0, chunk * CHUNK - LONGEST)  # a match may lie across the border
        data = os.pread(self.descriptor, CHUNK + chunk * CHUNK - begin, begin)
        base = self._number_at(begin)
        newlines = [found.start() for found in _NEWLINE.finditer(data)]
        return [base + bisect_left(newlines, found.start()) for found in wanted.finditer(data)]

    def _number_at(self, offset: int) -> int:
        chunk = offset // CHUNK
        return self._before[chunk] + bisect_left(self._breaks_of(chunk), offset % CHUNK)

    def _start(self, number: int) -> int | None:
        if number <= 0:
            return 0 if number == 0 and self.size else None
        if number > self._newlines:
            return None
        chunk = bisect_left(self._before, number) - 1
        breaks = self._breaks_of(chunk)
        place = number - 1 - self._before[chunk]
        return chunk * CHUNK + breaks[place] + 1 if place < len(breaks) else None

    def _breaks_of(self, chunk: int) -> list[int]:
        whole = min(CHUNK, self.size - chunk * CHUNK)
        key = (chunk, whole)
        found = self._breaks.get(key)
        if found is None:
            data = os.pread(self.descriptor, whole, chunk * CHUNK)
            found = self._breaks[key] = [one.start() for one in _NEWLINE.finditer(data)]
            while len(self._breaks) > _KEPT:
                self._breaks.popitem(last=False)
        return found
