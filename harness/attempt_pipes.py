"""The descriptors of one attempt: what its keeper gets, and what the watch keeps."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from harness.attempt_order import Order
from harness.keeper.pipe import Pipe
from store.paths import open_private


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptPipes:
    """Journals and pipes of an attempt, open."""

    control: socket.socket
    """The watch's end of the dialogue with the keeper; does not block."""
    out: Pipe
    err: Pipe
    for_keeper: tuple[int, ...]
    """In the order of `harness.keeper.keeping.keep`; to be closed here once the keeper has them."""

    def close(self) -> None:
        """Closes the watch's own."""
        self.control.close()
        for pipe in (self.out, self.err):
            os.close(pipe.reading)
            os.close(pipe.journal)


def open_pipes(order: Order) -> AttemptPipes:
    """Opens them all, the journals new and for this user only. Raises `OSError`; then none is left open."""
    opened: list[int] = []
    try:
        stdin = os.open(order.stdin, os.O_RDONLY | os.O_CLOEXEC)
        opened.append(stdin)
        out_journal = _new_journal(order.out, opened)
        err_journal = _new_journal(order.err, opened)
        out_reading, out_end = _pipe(opened)
        err_reading, err_end = _pipe(opened)
        copies = []
        for one in (out_reading, err_reading, out_journal, err_journal):
            copies.append(os.dup(one))
            opened.append(copies[-1])
        ours, theirs = socket.socketpair()
    except OSError:
        for one in opened:
            os.close(one)
        raise
    ours.setblocking(False)
    return AttemptPipes(
        control=ours,
        out=Pipe(out_reading, out_journal),
        err=Pipe(err_reading, err_journal),
        for_keeper=(theirs.detach(), *copies[:2], out_end, err_end, stdin, *copies[2:]),
    )


def _new_journal(path: Path, opened: list[int]) -> int:
    descriptor = open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    opened.append(descriptor)
    return descriptor


def _pipe(opened: list[int]) -> tuple[int, int]:
    reading, writing = os.pipe()
    opened += (reading, writing)
    os.set_blocking(reading, False)
    return reading, writing
