"""Every process there is, in one pass."""

from __future__ import annotations

import os
import resource
from typing import NamedTuple

from harness.keeper.system import LINUX

TICKS = os.sysconf("SC_CLK_TCK")
"""Clock ticks a second, the unit of CPU times and of starts."""
_STAT_BYTES = 1024  # what is read of a stat; the fields wanted end well before


class ProcessRow(NamedTuple):
    """One process at one look; CPU in clock ticks, memory in bytes."""

    pid: int
    parent: int
    state: str
    """As ps shows it; `Z` has ended."""
    own_ticks: int
    """CPU that it used itself."""
    reaped_ticks: int
    """CPU of the children it has waited for, and of theirs."""
    start_ticks: int
    rss_bytes: int


def process_table() -> dict[int, ProcessRow]:
    """Every process there is at this moment, by pid."""
    if LINUX:
        return _linux_table()
    from harness import without_proc

    return {row[0]: ProcessRow(*row) for row in without_proc.rows(TICKS)}


def _linux_table() -> dict[int, ProcessRow]:
    page = resource.getpagesize()
    found: dict[int, ProcessRow] = {}
    proc = os.open("/proc", os.O_RDONLY)
    try:
        for name in os.listdir(proc):  # noqa: PTH208  # a descriptor, not a path
            if not "0" < name < ":":
                continue
            try:
                opened = os.open(f"{name}/stat", os.O_RDONLY, dir_fd=proc)
            except OSError:
                continue
            try:
                content = os.read(opened, _STAT_BYTES)
            except OSError:
                continue
            finally:
                os.close(opened)
            fields = content[content.rindex(b")") + 2 :].split(None, 22)
            pid = int(name)
            found[pid] = ProcessRow(
                pid,
                int(fields[1]),
                chr(fields[0][0]),
                int(fields[11]) + int(fields[12]),
                int(fields[13]) + int(fields[14]),
                int(fields[19]),
                int(fields[21]) * page,
            )
    finally:
        os.close(proc)
    return found
