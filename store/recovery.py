"""What was cut off and waits for a person: runs restored, neither discarded nor taken up (R8, R10, R12)."""

from __future__ import annotations

import functools
import sqlite3
from dataclasses import dataclass

from store.model import Reason, State
from store.run import Delegation, Run
from store.views import load_run

_LONGEST_CHAIN = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Interrupted:
    """One agent that was cut off: `session` is what its CLI can take up, if it named one."""

    delegation: Delegation

    @property
    def session(self) -> str | None:
        """The exact id of its session."""
        attempt = self.delegation.attempt
        return None if attempt is None else attempt.session


@dataclass(frozen=True, kw_only=True, slots=True)
class CutOff:
    """A run that was cut off, with those of its agents that nobody has taken up again."""

    run: Run
    agents: tuple[Interrupted, ...]


def cut_off_runs(connection: sqlite3.Connection) -> list[CutOff]:
    """Every run with something left to take up or to discard, newest first."""
    found = []
    for run in map(functools.partial(load_run, connection), runs_with_something_left(connection)):
        agents = interrupted(connection, run)
        if agents:
            found.append(CutOff(run=run, agents=agents))
    return found


def runs_with_something_left(connection: sqlite3.Connection) -> list[str]:
    """The ids of the runs that `cut_off_runs` loads, newest first: what a status line needs to know."""
    rows = connection.execute(
        "SELECT id FROM runs WHERE restored=1 AND discarded=0 AND EXISTS ("
        " SELECT 1 FROM delegations AS cut WHERE cut.run = runs.id AND cut.state='stopped' AND cut.reason='interrupted'"
        " AND NOT EXISTS (SELECT 1 FROM runs AS later JOIN delegations AS again ON again.run = later.id"
        "  AND again.agent = cut.agent WHERE later.continues = runs.id)) ORDER BY seq DESC"
    )
    return [str(row[0]) for row in rows]


def interrupted(connection: sqlite3.Connection, run: Run) -> tuple[Interrupted, ...]:
    """The agents of `run` that were cut off and that no other run took up."""
    return tuple(
        Interrupted(delegation=one)
        for one in run.delegations.values()
        if one.state is State.STOPPED
        and one.reason is Reason.INTERRUPTED
        and taken_up_by(connection, run.id, one.name) is None
    )


def taken_up_by(connection: sqlite3.Connection, run: str, agent: str) -> str | None:
    """The newest run that continues `run` with this agent, if one does."""
    row = connection.execute(
        "SELECT runs.id FROM runs JOIN delegations ON delegations.run = runs.id AND delegations.agent = ?"
        " WHERE runs.continues = ? ORDER BY runs.seq DESC LIMIT 1",
        (agent, run),
    ).fetchone()
    return None if row is None else str(row[0])


def last_recorded(connection: sqlite3.Connection, run: str) -> int | None:
    """When the last thing was recorded of `run` (ms) before it was cut off; `None` when it never was."""
    row = connection.execute(
        "SELECT at FROM events WHERE run = ? AND seq <"
        " (SELECT min(seq) FROM events WHERE run = ? AND type = 'run.restored') ORDER BY seq DESC LIMIT 1",
        (run, run),
    ).fetchone()
    return None if row is None else int(row[0])


def earlier_runs(connection: sqlite3.Connection, run: Run) -> tuple[Run, ...]:
    """The runs that `run` continues, oldest first."""
    found: list[Run] = []
    while run.continues is not None and len(found) < _LONGEST_CHAIN:
        run = load_run(connection, run.continues)
        found.append(run)
    return tuple(reversed(found))
