"""What `/proc` says of processes, and the signal that reaches only the very process it was meant for."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import os

STATE, PARENT, GROUP, STARTED = 0, 1, 2, 19
"""Places in the fields of a stat."""

Process = tuple[int, list[bytes]]
"""A pid, and the fields of its stat."""


def stat_of(pid: int) -> list[bytes]:
    """The fields of `/proc/PID/stat` after the name (see proc(5)); none when there is no such process."""
    try:
        opened = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return []
    try:
        content = os.read(opened, 2048)
    except OSError:
        return []
    finally:
        os.close(opened)
    return content[content.rindex(b")") + 2 :].split()


def start_ticks(pid: int) -> int:
    """When the process started, in clock ticks since boot; 0 where the system does not say so."""
    fields = stat_of(pid)
    return int(fields[STARTED]) if fields else 0


def descendants(root: int) -> list[Process]:
    """Every process below `root`, zombies too, as it is at this moment."""
    if os.path.exists(f"/proc/self/task/{os.getpid()}/children"):  # noqa: PTH110  # pathlib weighs too much here
        return _walk(root)
    return _pick(root)


def _walk(root: int) -> list[Process]:
    found: list[Process] = []
    waiting = [root]
    while waiting:
        for child in _children(waiting.pop()):
            if fields := stat_of(child):
                found.append((child, fields))
                waiting.append(child)
    return found


def _children(pid: int) -> list[int]:
    """The children of one process, from the lists of its threads."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return found
    for thread in threads:
        try:
            opened = os.open(f"/proc/{pid}/task/{thread}/children", os.O_RDONLY)
        except OSError:
            continue
        content = b""
        try:
            while more := os.read(opened, 65536):
                content += more
        except OSError:
            pass
        finally:
            os.close(opened)
        found.extend(map(int, content.split()))
    return found


def _pick(root: int) -> list[Process]:
    """For a kernel without lists of children: one look at every process there is."""
    children: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit() and (fields := stat_of(int(name))):
            children.setdefault(int(fields[PARENT]), []).append((int(name), fields))
    found: list[Process] = []
    waiting = [root]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found.extend(below)
        waiting.extend(pid for pid, _ in below)
    return found


def send_if_same(pid: int, started: int, number: int) -> bool:
    """Whether the signal went to the process that started at that tick; a number that was used again gets none.

    Raises `PermissionError` when it is another owner's.
    """
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    except OSError:  # a kernel or a container without it: look, then signal at once
        held = -1
    try:
        if start_ticks(pid) != started:
            return False
        if held < 0:
            os.kill(pid, number)
        else:
            _signal.pidfd_send_signal(held, number)
    except ProcessLookupError:
        return False
    finally:
        if held >= 0:
            os.close(held)
    return True
