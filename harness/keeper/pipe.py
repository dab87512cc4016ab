"""How an agent's bytes get into its journal; the watch and the keeper move them with the very same."""

from __future__ import annotations

import errno
import os

AT_ONCE = 1 << 20


class Pipe:
    """One of an agent's two outputs, on its way into its journal."""

    __slots__ = ("copies", "ended", "journal", "moved", "reading", "unwritten", "wide")

    def __init__(self, reading: int, journal: int) -> None:
        self.reading = reading
        """The end of the pipe that does not block."""
        self.journal = journal
        """Not opened to append, which `splice` refuses."""
        self.moved = 0
        """Bytes so far."""
        self.ended = False
        """Whether every writer is gone and nothing is left to move."""
        self.copies = not hasattr(os, "splice")
        self.unwritten = b""
        self.wide = False
        """Whether it was made to hold more than is usual."""

    def move(self) -> int:
        """How many bytes went into the journal just now, at most `AT_ONCE`; 0 when none was there.

        They are moved in the kernel, so that none is ever in memory only; where the journal's file system cannot take
        them so, they are copied. Raises `OSError` when the journal cannot grow; what is not in it stays where it was.
        """
        if self.copies:
            return self._copy()
        try:
            moved = os.splice(self.reading, self.journal, AT_ONCE, flags=os.SPLICE_F_NONBLOCK)
        except BlockingIOError:
            return 0
        except OSError as problem:
            if problem.errno not in (errno.EINVAL, errno.ENOSYS):
                raise
            self.copies = True
            return self._copy()
        self.ended = not moved
        self.moved += moved
        return moved

    def _copy(self) -> int:
        if not self.unwritten:
            try:
                self.unwritten = os.read(self.reading, AT_ONCE)
            except BlockingIOError:
                return 0
            self.ended = not self.unwritten
        before = self.moved
        while self.unwritten:
            try:
                written = os.write(self.journal, self.unwritten)
            except OSError:
                if self.moved > before:
                    break  # what did go in is told first
                raise
            self.moved += written
            self.unwritten = self.unwritten[written:]
        return self.moved - before
