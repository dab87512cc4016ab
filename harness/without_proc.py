"""What psutil tells where the system has no `/proc` (macOS)."""

from __future__ import annotations

from collections.abc import Iterator

import psutil  # type: ignore[import-untyped]

_START_TICKS = 100  # a second; such ticks count from 1970, as these systems count starts


def start_ticks(pid: int) -> int | None:
    """When the process started; `None` when there is none or it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else int(process.create_time() * _START_TICKS)
    except psutil.NoSuchProcess:
        return None


def rows(ticks: int) -> Iterator[tuple[int, int, str, int, int, int, int]]:
    """The rows of the process table; CPU in `ticks` a second. What is not ours to see is 0."""
    for process in psutil.process_iter(["ppid", "status", "cpu_times", "create_time", "memory_info"]):
        seen = process.info
        times, memory = seen["cpu_times"], seen["memory_info"]
        yield (
            process.pid,
            seen["ppid"] or 0,
            "Z" if seen["status"] == psutil.STATUS_ZOMBIE else "S",
            int((times.user + times.system) * ticks) if times else 0,
            0,
            int((seen["create_time"] or 0) * _START_TICKS),
            memory.rss if memory else 0,
        )


def environment(pid: int) -> list[bytes]:
    """The variables of a process, `NAME=value` each; none where we may not read them."""
    try:
        return [f"{name}={value}".encode() for name, value in psutil.Process(pid).environ().items()]
    except psutil.Error:
        return []


def boot() -> str:
    """What tells this boot from others: when it was, in seconds since 1970."""
    return str(int(psutil.boot_time()))
