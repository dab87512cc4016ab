"""The lock that keeps the watch single, and the marks of who is looking.

Locks belong to open files (OFD), so that reading whether one is held never takes it, and a process that only asks can
never be mistaken for a watch. Where the system has no such locks (macOS) plain record locks serve.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SET = getattr(fcntl, "F_OFD_SETLK", fcntl.F_SETLK)
_GET = getattr(fcntl, "F_OFD_GETLK", fcntl.F_GETLK)
_FLOCK = "hhqqi4x"  # struct flock on 64-bit Linux; pid must be 0 for locks of open files


def _flock(kind: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, 0, 0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Holder:
    """The watch that holds the lock, as it described itself."""

    pid: int | None
    facts: Mapping[str, object]


class Lock:
    """A lock on a file for as long as this object is open; the system gives it up when the process dies."""

    def __init__(self, path: Path, *, to_take: bool = True) -> None:
        """Opens the file at `path`, made now if it is not there; with `to_take` false only to ask, changing nothing."""
        flags = os.O_RDWR | os.O_CREAT if to_take else os.O_RDONLY
        self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)

    def take(self, *, shared: bool = False) -> bool:
        """Whether the lock is ours now. Never waits."""
        try:
            fcntl.fcntl(self._descriptor, _SET, _flock(fcntl.F_RDLCK if shared else fcntl.F_WRLCK))
        except (BlockingIOError, PermissionError):
            return False
        return True

    def held_by_another(self) -> bool:
        """Whether another process holds it in any way; taking nothing."""
        answer = fcntl.fcntl(self._descriptor, _GET, _flock(fcntl.F_WRLCK))
        return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)

    def describe(self, facts: Mapping[str, object]) -> None:
        """Writes who holds it, for whoever asks; over what stood there, so that it needs no room on a full disk."""
        content = json.dumps(dict(facts)).encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def is_at(self, path: Path) -> bool:
        """Whether `path` still names the file that this lock is on; a file that was deleted keeps nobody out."""
        try:
            there = path.stat()
        except OSError:
            return False
        ours = os.fstat(self._descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def described(self) -> Mapping[str, object]:
        """What the holder wrote; empty when it has not yet."""
        try:
            facts = json.loads(os.pread(self._descriptor, 65536, 0))
        except ValueError:
            return {}
        return facts if isinstance(facts, dict) else {}

    def close(self) -> None:
        """Gives it up."""
        os.close(self._descriptor)


def holder(path: Path) -> Holder | None:
    """The watch that holds the lock at `path`, or `None` when no watch lives."""
    if not path.exists():
        return None
    lock = Lock(path, to_take=False)
    try:
        if not lock.held_by_another():
            return None
        facts = lock.described()
    finally:
        lock.close()
    pid = facts.get("pid")
    if not isinstance(pid, int) or not _is_the_one(pid, facts):
        return Holder(pid=None, facts={})  # it has the lock and has not described itself yet
    return Holder(pid=pid, facts=facts)


def _is_the_one(pid: int, facts: Mapping[str, object]) -> bool:
    """Whether these facts are of a living process and not of a watch before it that was killed."""
    from harness.identity import identity_of

    found = identity_of(pid)
    return found is not None and found.start_ticks == facts.get("start_ticks")
