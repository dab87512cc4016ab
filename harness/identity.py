"""Which process is meant: a number alone is used again, and is never signalled."""

from __future__ import annotations

import functools
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from harness.keeper.proc import STARTED, STATE, send_if_same, stat_of
from harness.keeper.system import LINUX


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """One process that is or was. The pid counts in this pid namespace; ticks are hundredths of a second since boot."""

    pid: int
    start_ticks: int
    boot: str
    namespace: int

    def __str__(self) -> str:
        return f"pid {self.pid} (started {self.start_ticks / 100:.2f} s after boot)"


def identity_of(pid: int) -> Identity | None:
    """The identity of the process that has this number now; `None` when none has, or it has ended (a zombie)."""
    ticks = _ticks_if_alive(pid)
    if ticks is None:
        return None
    return Identity(pid=pid, start_ticks=ticks, boot=this_boot(), namespace=this_namespace())


def is_alive(identity: Identity) -> bool:
    """Whether this very process is there and has not ended. One of another boot or namespace never is, from here."""
    return _within_reach(identity) and _ticks_if_alive(identity.pid) == identity.start_ticks


def signal_if_same(identity: Identity, number: int) -> bool:
    """Whether the signal went to this very process, looked at again just before.

    Never to one that took over its number. Raises `PermissionError` when it is another owner's.
    """
    if not _within_reach(identity):
        return False
    if LINUX:
        return send_if_same(identity.pid, identity.start_ticks, number)
    if not is_alive(identity):
        return False
    try:
        os.kill(identity.pid, signal.Signals(number))
    except ProcessLookupError:
        return False
    return True


@functools.cache
def this_boot() -> str:
    """The id of this boot: it changes when the machine, or this container's machine, starts anew."""
    if LINUX:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    from harness import without_proc

    return without_proc.boot()


@functools.cache
def this_namespace() -> int:
    """The id of the pid namespace in which our pids count; 0 where the system has no such thing."""
    return Path("/proc/self/ns/pid").stat().st_ino if LINUX else 0


def _within_reach(identity: Identity) -> bool:
    return identity.boot == this_boot() and identity.namespace == this_namespace()


def _ticks_if_alive(pid: int) -> int | None:
    if LINUX:
        fields = stat_of(pid)
        return int(fields[STARTED]) if fields and fields[STATE] not in b"ZX" else None
    from harness import without_proc

    return without_proc.start_ticks(pid)
