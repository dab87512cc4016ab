"""What the main screen shows, as it stood at one moment of the record: one read transaction, indexed rows only."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from store.credentials import Remembered, remembered
from store.errors import RunNotFound
from store.ledger import spent_since
from store.log import last_seq
from store.model import Outcome, RunStatus
from store.recovery import runs_with_something_left
from store.run import Run
from store.usage import Totals
from store.views import RunLine, harness_paused, live_runs, load_run, run_lines
from store.vitals import Vitals, vitals_of
from store.workflow_lines import WorkflowLine, workflow_lines
from tui.standing import run_status


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    """One look at the record. Without a record all of it is empty."""

    seq: int = 0
    watched: bool = False
    paused: bool = False
    """Whether a person holds everything that has not started."""
    workflows: Mapping[str, WorkflowLine] = field(default_factory=dict)
    """By resolved path, those that ever ran."""
    runs: tuple[RunLine, ...] = ()
    """Of the workflow that was asked for, or of all: live ones first, then the newest."""
    live: int = 0
    cut_off: int = 0
    """Runs that were cut off and have an agent that was neither taken up nor discarded (R8)."""
    run: Run | None = None
    """The run that was asked for, with its agents."""
    vitals: Mapping[str, Vitals] = field(default_factory=dict)
    credentials: tuple[Remembered, ...] = ()
    """Those that do not work."""

    def status(self, run: RunLine | Run) -> RunStatus:
        """How that run stands."""
        return run_status(run, watched=self.watched, harness_paused=self.paused)

    def state(self, run: RunLine | Run) -> Outcome | RunStatus:
        """The outcome of a run that has one, else how it stands."""
        return run.outcome or self.status(run)


def look(
    connection: sqlite3.Connection | None, *, watched: bool, workflow: str | None, run: str | None, limit: int
) -> Glance:
    """The runs of `workflow` (of all, when `None`), at most `limit` ended ones, and one whole `run`.

    Without `run` the first of the list is loaded. Without a record all is empty. Raises `sqlite3.Error`.
    """
    if connection is None:
        return Glance(watched=watched)
    connection.execute("BEGIN")
    try:
        live = live_runs(connection)
        shown = [line for line in live if workflow is None or line.workflow == workflow]
        shown.extend(line for line in run_lines(connection, limit=limit, workflow=workflow) if not line.live)
        whole = _load(connection, run if run is not None else shown[0].id if shown else None)
        return Glance(
            seq=last_seq(connection),
            watched=watched,
            paused=harness_paused(connection),
            workflows=workflow_lines(connection),
            runs=tuple(shown),
            live=len(live),
            cut_off=len(runs_with_something_left(connection)),
            run=whole,
            credentials=tuple(remembered(connection)),
            vitals=vitals_of(connection, whole.id) if whole is not None and whole.live else {},
        )
    finally:
        connection.execute("COMMIT")


def spent_today(connection: sqlite3.Connection | None, now: int) -> Totals:
    """Everything used since midnight here. It takes the longer the more today recorded, so it is not asked often."""
    return Totals() if connection is None else spent_since(connection, midnight(now))


def midnight(now: int, days: int = 0) -> int:
    """The beginning of the day of `now` here, or of the day so many days before (ms)."""
    moment = time.localtime(now / 1000)
    return int(time.mktime((moment.tm_year, moment.tm_mon, moment.tm_mday - days, 0, 0, 0, 0, 0, -1)) * 1000)


def _load(connection: sqlite3.Connection, run: str | None) -> Run | None:
    if run is None:
        return None
    try:
        return load_run(connection, run)
    except RunNotFound:  # evicted since
        return None
