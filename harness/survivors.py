"""Processes of dead attempts that are still there, found by the mark in their environment, and ended (R10)."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.identity import Identity, is_alive, signal_if_same, this_boot, this_namespace
from harness.keeper.system import LINUX
from harness.process_table import TICKS, ProcessRow, process_table

MARK = "MIDWATCH_ATTEMPT"
TERMINATE_S = 1.0  # from TERM to KILL
KILL_S = 2.0  # how long to look whether KILL has done it
_LOOK_S = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """What `end_survivors` did."""

    ended: tuple[Identity, ...]
    """Those that were there and are gone."""
    remain: tuple[Identity, ...]
    """Those that nothing we may do has ended: another owner's, or stuck in the kernel."""


def survivors(marks: Iterable[str], *, before: float | None = None) -> list[Identity]:
    """Every living process that carries one of the marks `RECORD/ATTEMPT`, whole, in its environment.

    `before` (seconds since 1970, the attempt's recorded end) leaves out what started after it: a mark proves nothing of
    such a process. Never this process or one of its ancestors. A process whose environment we may not read, or that
    gave its mark away, is not found.
    """
    wanted = {f"{MARK}={mark}".encode() for mark in marks}
    if not wanted:
        return []
    table = process_table()
    ours = _self_and_ancestors(table)
    latest = None if before is None else (before - _booted_at()) * TICKS
    return [
        _identity(one)
        for one in table.values()
        if one.pid not in ours
        and one.state not in "ZX"
        and (latest is None or one.start_ticks < latest)
        and not wanted.isdisjoint(_environment(one.pid))
    ]


def end_survivors(marks: Collection[str], *, seen: Collection[Identity] = (), before: float | None = None) -> Ended:
    """Ends every survivor of these marks, gently and then firmly. Takes up to three seconds: call it in a thread.

    `seen` were in the trees of these attempts when somebody last looked: they are ended whatever became of their marks.
    """

    def find() -> list[Identity]:
        marked = survivors(marks, before=before)
        alive = [one for one in seen if one not in marked and is_alive(one)]
        ours = _self_and_ancestors(process_table()) if alive else ()
        return [*marked, *(one for one in alive if one.pid not in ours)]

    return end_all(find)


def end_all(find: Callable[[], list[Identity]]) -> Ended:
    """Ends whatever `find` finds, looking again each time for what was forked meanwhile."""
    seen: dict[Identity, None] = {}
    for number, patience in ((signal.SIGTERM, TERMINATE_S), (signal.SIGKILL, KILL_S)):
        signalled: set[Identity] = set()
        deadline = time.monotonic() + patience
        while found := find():
            for one in found:
                seen[one] = None
                if one not in signalled:
                    signalled.add(one)
                    _signal(one, number)
            if time.monotonic() > deadline:
                break
            time.sleep(_LOOK_S)
        if not found:
            break
    remain = tuple(one for one in seen if is_alive(one))
    return Ended(ended=tuple(one for one in seen if one not in remain), remain=remain)


def _signal(identity: Identity, number: int) -> None:
    with suppress(PermissionError):  # another owner's: it is told among those that remain
        signal_if_same(identity, number)


def _self_and_ancestors(table: dict[int, ProcessRow]) -> set[int]:
    found: set[int] = set()
    pid = os.getpid()
    while pid in table and pid not in found:
        found.add(pid)
        pid = table[pid].parent
    return found


def _identity(one: ProcessRow) -> Identity:
    return Identity(pid=one.pid, start_ticks=one.start_ticks, boot=this_boot(), namespace=this_namespace())


def _environment(pid: int) -> list[bytes]:
    """The variables of a process, `NAME=value` each; none where we may not read them."""
    if LINUX:
        try:
            return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return []
    from harness import without_proc

    return without_proc.environment(pid)


def _booted_at() -> float:
    """When this machine booted, in seconds since 1970, as its clock sees it now."""
    if LINUX:
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return 0.0  # there, ticks count from 1970
