"""The watch's part, moving bytes, as a keeper does it once the watch is gone."""

from __future__ import annotations

import os
import select
import time

from harness.keeper.pipe import AT_ONCE, Pipe

ROOM_AGAIN_S = 1.0  # between two tries to write into a journal that could not grow
PATIENCE_S = 60.0  # how long a keeper on its own waits for room before it gives up


class Draining:
    """The two pipes of one agent."""

    def __init__(self, out: Pipe, err: Pipe, poll: select.poll) -> None:
        self._pipes = out, err
        self._poll = poll
        self._listening: dict[int, Pipe] = {}
        self.again_at: float | None = None
        """When to listen again (monotonic seconds), after a journal could not grow."""

    @property
    def output(self) -> int:
        """Bytes in both journals, the watch's part included."""
        return sum(os.fstat(pipe.journal).st_size for pipe in self._pipes)

    def listen(self) -> None:
        """From now on the poll wakes for what the agent prints."""
        self.again_at = None
        for pipe in self._pipes:
            if not pipe.ended:
                self._listening[pipe.reading] = pipe
                self._poll.register(pipe.reading, select.POLLIN)
        for descriptor in list(self._listening):
            self.woken(descriptor)

    def rest(self) -> None:
        """Moves nothing more; the agent waits on its pipes."""
        self.again_at = None
        for descriptor in self._listening:
            self._poll.unregister(descriptor)
        self._listening = {}

    def woken(self, descriptor: int) -> None:
        """Moves what has come."""
        pipe = self._listening.get(descriptor)
        if pipe is None:
            return
        try:
            pipe.move()
        except OSError:
            self.rest()
            self.again_at = time.monotonic() + ROOM_AGAIN_S
        if pipe.ended:
            self._poll.unregister(descriptor)
            del self._listening[descriptor]

    def finish(self) -> None:
        """Moves what a tree that is gone has left in the pipes."""
        give_up = time.monotonic() + PATIENCE_S
        for pipe in self._pipes:
            left = AT_ONCE  # more is not in a pipe: whoever still writes into it is not of the tree
            while left > 0 and not pipe.ended:
                try:
                    moved = pipe.move()
                except OSError:
                    if time.monotonic() > give_up:
                        break
                    time.sleep(ROOM_AGAIN_S)
                    continue
                if not moved:
                    break
                left -= moved

    def sync(self) -> None:
        """Makes both journals durable; in an empty one there is nothing to keep. Raises `OSError`."""
        for pipe in self._pipes:
            if os.fstat(pipe.journal).st_size:
                os.fsync(pipe.journal)
