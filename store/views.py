"""Read-only queries, one for each need of a screen or a command; every one answers from an index, never from history.

Bare sqlite3 on purpose: this is on the start-up path.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from store.database import snapshot
from store.errors import AmbiguousRun, RunNotFound
from store.model import Outcome, Reason, RunState
from store.usage import Totals

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from typing import Any

    from store.run import Run

TOTALS_COLUMNS = (
    "turns, input, output, cache_read, cache_write, cost, estimated,"
    " missing_input, missing_output, missing_cache_read, missing_cache_write, missing_cost"
)
_TOTALS_FIELDS = tuple(name.strip() for name in TOTALS_COLUMNS.split(","))


def totals(row: tuple[Any, ...]) -> Totals:
    """The totals in a row of `TOTALS_COLUMNS`."""
    return Totals(**dict(zip(_TOTALS_FIELDS, row, strict=True)))


def resolve_run(connection: sqlite3.Connection, reference: str) -> str:
    """The id of the run that `reference` means: a whole id, a unique prefix of one, or `@` for the newest."""
    if reference == "@":
        row = connection.execute("SELECT id FROM runs WHERE seq = (SELECT max(seq) FROM runs)").fetchone()
        if row is None:
            raise RunNotFound(reference)
        return str(row[0])
    prefix = reference.lower()
    found, first = connection.execute(
        "SELECT count(*), min(id) FROM runs WHERE id >= ? AND id < ?", (prefix, prefix + "\U0010ffff")
    ).fetchone()
    if not found or not prefix:
        raise RunNotFound(reference)
    if found > 1:
        raise AmbiguousRun(reference, found)
    return str(first)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLine:
    """A run as one line of a list: no delegations, no events."""

    seq: int
    id: str
    workflow: str
    name: str
    folder: str
    state: RunState
    paused: bool
    draining_until: int | None
    halted: Reason | None
    outcome: Outcome | None
    reached_end: bool
    why: str | None
    restored: bool
    discarded: bool
    continues: str | None
    started_at: int
    ended_at: int | None
    wave: int
    totals: Totals = field(default_factory=Totals)
    dropped: str | None = None
    """Why its detail (plan, inputs, agents, events, journals) is gone: 'evicted' or 'too large' (R5, R6)."""
    parent: str | None = None
    parent_agent: str | None = None
    """The run, and its agent, that it was launched from, if from inside one (R21)."""

    @property
    def live(self) -> bool:
        """Whether the record says that it goes on."""
        return self.state is RunState.LIVE


LINE = (
    "seq, id, workflow, name, folder, state, paused, draining_until, halted, outcome, reached_end, why, restored,"
    f" discarded, continues, started_at, ended_at, wave, dropped, parent, parent_agent,"
    f" {TOTALS_COLUMNS}"
)


def line_of(row: tuple[Any, ...]) -> RunLine:
    """The line in a row of `LINE`."""
    return RunLine(
        seq=row[0],
        id=row[1],
        workflow=row[2],
        name=row[3],
        folder=row[4],
        state=RunState(row[5]),
        paused=bool(row[6]),
        draining_until=row[7],
        halted=None if row[8] is None else Reason(row[8]),
        outcome=None if row[9] is None else Outcome(row[9]),
        reached_end=bool(row[10]),
        why=row[11],
        restored=bool(row[12]),
        discarded=bool(row[13]),
        continues=row[14],
        started_at=row[15],
        ended_at=row[16],
        wave=row[17],
        dropped=row[18],
        parent=row[19],
        parent_agent=row[20],
        totals=totals(row[21:]),
    )


def run_lines(
    connection: sqlite3.Connection, *, limit: int = 50, before: int | None = None, workflow: str | None = None
) -> list[RunLine]:
    """The newest runs, newest launch first; `before` is a `seq` to page on from, `workflow` a resolved path."""
    before = 1 << 62 if before is None else before
    query = f"SELECT {LINE} FROM runs WHERE {{}} ORDER BY seq DESC LIMIT ?"
    if workflow is None:
        return [line_of(row) for row in connection.execute(query.format("seq < ?"), (before, limit))]
    found: list[RunLine] = []
    for state in RunState:  # the index goes by state before seq
        rows = connection.execute(query.format("workflow=? AND state=? AND seq < ?"), (workflow, state, before, limit))
        found.extend(map(line_of, rows))
    return sorted(found, key=lambda line: -line.seq)[:limit]


def live_runs(connection: sqlite3.Connection) -> list[RunLine]:
    """Every run that the record says is live, newest launch first."""
    rows = connection.execute(f"SELECT {LINE} FROM runs WHERE state='live' ORDER BY seq DESC")
    return [line_of(row) for row in rows]


def children_of(connection: sqlite3.Connection, run: str) -> list[RunLine]:
    """The runs that agents of `run` launched, oldest first."""
    rows = connection.execute(f"SELECT {LINE} FROM runs WHERE parent=? ORDER BY seq", (run,))
    return [line_of(row) for row in rows]


def runs_ended_since(connection: sqlite3.Connection, moment: int, *, limit: int = 500) -> list[RunLine]:
    """The runs that ended after `moment` (ms), the last one first, at most `limit`."""
    rows = connection.execute(
        f"SELECT {LINE} FROM runs WHERE ended_at > ? ORDER BY ended_at DESC LIMIT ?", (moment, limit)
    )
    return [line_of(row) for row in rows]


def run_line(connection: sqlite3.Connection, run: str) -> RunLine:
    """The line of one run, by whole id; raises `RunNotFound`."""
    row = connection.execute(f"SELECT {LINE} FROM runs WHERE id=?", (run,)).fetchone()
    if row is None:
        raise RunNotFound(run)
    return line_of(row)


def load_run(connection: sqlite3.Connection, run: str) -> Run:
    """Everything that stands of one run, by whole id; raises `RunNotFound`."""
    from store.loading import load

    with snapshot(connection):
        return load(connection, run_line(connection, run))


def harness_paused(connection: sqlite3.Connection) -> bool:
    """Whether a person holds everything that has not started."""
    row = connection.execute("SELECT value FROM meta WHERE key='paused'").fetchone()
    return row is not None and row[0] == "1"


def meta(connection: sqlite3.Connection, key: str) -> str | None:
    """A fact about the record itself: `record` (its id), `machine`, `created_at` (ms)."""
    row = connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
    return None if row is None else str(row[0])
