"""One look at all processes: what each attempt's tree is, and what it uses (A2)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from harness.process_table import TICKS, ProcessRow, process_table


@dataclass(frozen=True, kw_only=True, slots=True)
class Vitals:
    """What one attempt's tree, without its keeper, uses at one look."""

    cpu_percent: float
    """Of one core, since the look before (since the first look: 0); more than 100 with several cores."""
    rss_bytes: int
    """The sum over the tree, so that memory shared by several of its processes counts for each."""
    processes: int
    tree: tuple[tuple[int, int], ...]
    """Pid and start (ticks since boot) of each of its processes."""


class Processes:
    """Looks, one pass over all processes each, whatever the number of attempts."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}
        self._looked_at = 0.0

    def look(self, keepers: Mapping[str, int]) -> dict[str, Vitals]:
        """The vitals of each attempt, by its mark; `keepers` are their keepers' pids. One that is gone is left out."""
        table = process_table()
        now = time.monotonic()
        elapsed_ticks = max((now - self._looked_at) * TICKS, 1.0)
        below = children_of(table)
        used: dict[str, int] = {}
        found: dict[str, Vitals] = {}
        for mark, keeper in keepers.items():
            root = table.get(keeper)
            if root is None:
                continue
            tree = tree_below(keeper, below)
            used[mark] = root.reaped_ticks + sum(one.own_ticks + one.reaped_ticks for one in tree)
            grown = max(0, used[mark] - self._used.get(mark, used[mark]))
            alive = [one for one in tree if one.state != "Z"]
            found[mark] = Vitals(
                cpu_percent=100 * grown / elapsed_ticks,
                rss_bytes=sum(one.rss_bytes for one in alive),
                processes=len(alive),
                tree=tuple((one.pid, one.start_ticks) for one in alive),
            )
        self._used, self._looked_at = used, now
        return found


def tree_below(root: int, below: Mapping[int, list[ProcessRow]]) -> list[ProcessRow]:
    """Every process below `root`, nearest first; `below` is the children of each process."""
    found = list(below.get(root, ()))
    for one in found:
        found.extend(below.get(one.pid, ()))
    return found


def children_of(table: Mapping[int, ProcessRow]) -> dict[int, list[ProcessRow]]:
    """The children of each process."""
    below: dict[int, list[ProcessRow]] = {}
    for one in table.values():
        below.setdefault(one.parent, []).append(one)
    return below
