"""What one agent prints: into its journals first, then read back as lines."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress

from harness.journal import Lines
from harness.keeper.pipe import AT_ONCE, Pipe
from harness.outputs import NEARLY_FULL, Outputs
from harness.sink import Sink

ROOM_AGAIN_S = 1.0  # between two tries to write into a journal that could not grow
_WIDE_PIPE = 1 << 20


class Copying:
    """The two pipes of one attempt, from its start until its tree is gone."""

    def __init__(
        self, out: Pipe, err: Pipe, *, sink: Sink, lines: bool, output_limit: int | None, outputs: Outputs
    ) -> None:
        self._out, self._err = out, err
        self._sink = sink
        self._framing = Lines() if lines else None
        self._limit = output_limit
        self._outputs = outputs
        self._over_limit = False
        self._told_full = False
        self._again: asyncio.TimerHandle | None = None
        self._whole: Callable[[], None] | None = None
        self._listen()

    @property
    def out_bytes(self) -> int:
        """Bytes in the journal of standard output."""
        return self._out.moved

    @property
    def err_bytes(self) -> int:
        """Bytes in the journal of standard error."""
        return self._err.moved

    def finish(self, whole: Callable[[], None]) -> None:
        """Takes what a tree that is gone has left, gives its last lines, calls `whole`: later, if the disk is full."""
        self._whole = whole
        self._drain()

    def stop(self) -> None:
        """Takes nothing more."""
        self._rest()
        if self._again is not None:
            self._again.cancel()
            self._again = None

    def take(self, pipe: Pipe) -> int:
        """Moves what is there and gives it on; how many bytes that was."""
        if self._again is not None:
            return 0
        try:
            moved = pipe.move()
        except OSError:
            self._stall()
            return 0
        if pipe.ended:
            self._outputs.remove(pipe)
        elif moved:
            self._told_full = False
            if pipe is self._out and self._framing is not None:
                lines = self._framing.feed(os.pread(pipe.journal, moved, pipe.moved - moved))
                if lines:
                    self._sink.lines(lines)
            elif moved >= NEARLY_FULL:
                _widen(pipe)
            self._check_limit()
        return moved

    def spoke(self) -> None:
        """Passes on the sign of life."""
        self._sink.output(self._out.moved, self._err.moved)

    def _check_limit(self) -> None:
        if self._limit is None or self._over_limit or self._out.moved + self._err.moved <= self._limit:
            return
        self._over_limit = True
        self._rest()  # what it still prints while it is being ended must not fill the disk
        self._sink.over_limit()

    def _listen(self) -> None:
        for pipe in (self._out, self._err):
            if not pipe.ended:
                self._outputs.add(pipe, self)

    def _rest(self) -> None:
        for pipe in (self._out, self._err):
            self._outputs.remove(pipe)

    def _stall(self) -> None:
        if not self._told_full:
            self._told_full = True
            self._sink.disk_full()
        self._rest()
        self._again = asyncio.get_running_loop().call_later(ROOM_AGAIN_S, self._try_again)

    def _try_again(self) -> None:
        self._again = None
        if self._whole is not None:
            self._drain()
            return
        if self.take(self._out) + self.take(self._err):
            self.spoke()
        if self._again is None and not self._over_limit:
            self._listen()

    def _drain(self) -> None:
        before = self._out.moved + self._err.moved
        for pipe in (self._out, self._err):
            left = AT_ONCE  # more is not in a pipe: whoever still writes into it is not of the tree
            while left > 0 and not pipe.ended and (moved := self.take(pipe)):
                left -= moved
        if self._out.moved + self._err.moved > before:
            self.spoke()
        if self._again is not None:
            return
        self._rest()
        last = self._framing.end() if self._framing is not None else []
        if last:
            self._sink.lines(last)
        assert self._whole is not None
        self._whole()


def _widen(pipe: Pipe) -> None:
    """Lets a pipe hold so much that its agent hardly waits: only one that is not read back, and so fills no memory."""
    if not pipe.wide:
        pipe.wide = True
        with suppress(AttributeError, OSError):  # not on this system, or all pipes of this user hold what they may
            fcntl.fcntl(pipe.reading, fcntl.F_SETPIPE_SZ, _WIDE_PIPE)
