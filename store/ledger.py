"""What it cost, grouped: by agent, run, workflow, model or day (U1)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from store.usage import Totals
from store.views import totals


class By(StrEnum):
    """What usage is grouped by. Days are those of the reader's time zone."""

    AGENT = "agent"
    RUN = "run"
    WORKFLOW = "workflow"
    MODEL = "model"
    DAY = "day"


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageLine:
    """One group: its key (`None` for a model nobody named), how many runs are in it, and the sums."""

    key: str | None
    label: str | None
    runs: int
    totals: Totals


DAY = "date(at / 1000, 'unixepoch', 'localtime')"
SUMS = (
    "sum(input), sum(output), sum(cache_read), sum(cache_write), sum(cost), sum(estimated),"
    " sum(coalesce(missing_input, input IS NULL OR at_least)),"
    " sum(coalesce(missing_output, output IS NULL OR at_least)),"
    " sum(coalesce(missing_cache_read, cache_read IS NULL OR at_least)),"
    " sum(coalesce(missing_cache_write, cache_write IS NULL OR at_least)),"
    " sum(coalesce(missing_cost, (cost IS NULL AND estimated IS NULL) OR at_least))"
)
"""What rows of `usage` add up to: the counters, then how many did not say. A row may stand for many (R5)."""

_KEYS = {
    By.AGENT: ("run || '/' || agent", "agent"),
    By.RUN: ("run", "max(workflow)"),
    By.WORKFLOW: ("workflow", "workflow"),
    By.MODEL: ("model", "model"),
    By.DAY: (DAY, DAY),
}


def usage_lines(
    connection: sqlite3.Connection, by: By, *, since: int | None = None, run: str | None = None
) -> list[UsageLine]:
    """The sums of every group with usage at or after `since` (ms), newest group first. Turns are not split here."""
    key, label = _KEYS[by]
    where, values = ["at >= ?"], [since if since is not None else 0]
    if run is not None:
        where.append("run = ?")
        values.append(run)  # type: ignore[arg-type]  # SQLite takes both
    rows = connection.execute(
        f"SELECT {key} AS key, {label}, count(DISTINCT run), 0, {SUMS} FROM usage WHERE {' AND '.join(where)}"
        " GROUP BY key ORDER BY max(at) DESC",
        values,
    )
    return [UsageLine(key=row[0], label=row[1], runs=row[2], totals=totals(row[3:])) for row in rows]


def spent_since(connection: sqlite3.Connection, since: int) -> Totals:
    """Everything that was recorded as used at or after `since` (ms)."""
    row = connection.execute(f"SELECT 0, {SUMS} FROM usage WHERE at >= ?", (since,)).fetchone()
    return Totals() if row is None or row[7] is None else totals(tuple(row))
