"""Stuck work, by query: what the sweeper ends, and what a person may want to look at before (E9)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from store.model import State


@dataclass(frozen=True, kw_only=True, slots=True)
class Overdue:
    """A running delegation past its deadline, or silent for too long."""

    run: str
    agent: str


def overdue(connection: sqlite3.Connection, now: int) -> list[Overdue]:
    """Every running delegation whose time is over at `now` (ms), the one that is longest so first."""
    rows = connection.execute(
        "SELECT vitals.run, vitals.agent FROM vitals JOIN delegations USING(run, agent)"
        " WHERE due <= ? AND state = 'running' ORDER BY due",
        (now,),
    )
    return [Overdue(run=row[0], agent=row[1]) for row in rows]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """An agent at work that may be stuck. Times in ms since 1970, as the watch last reckoned them."""

    run: str
    agent: str
    state: State
    sign_of_life: int | None = None
    silent_by: int | None = None
    deadline: int | None = None


def stuck_work(connection: sqlite3.Connection, *, now: int, silent_since: int) -> list[Stuck]:
    """What is at work without a sign of life since `silent_since`, or past its time, longest silent first."""
    rows = connection.execute(
        "SELECT vitals.run, vitals.agent, state, sign_of_life, silent_by, deadline FROM ("
        " SELECT run, agent FROM vitals WHERE sign_of_life <= ? UNION SELECT run, agent FROM vitals WHERE due <= ?"
        ") JOIN vitals USING(run, agent) JOIN delegations USING(run, agent)"
        " WHERE state IN ('running', 'stopping') ORDER BY sign_of_life",
        (silent_since, now),
    )
    return [_stuck(row) for row in rows]


def at_work(connection: sqlite3.Connection) -> list[Stuck]:
    """Everything that the record says is at work: without a watch, nobody conducts it."""
    rows = connection.execute(
        "SELECT delegations.run, delegations.agent, state, sign_of_life, silent_by, deadline FROM delegations"
        " LEFT JOIN vitals USING(run, agent) WHERE state IN ('running', 'review', 'stopping')"
    )
    return [_stuck(row) for row in rows]


def _stuck(row: tuple[str, str, str, int | None, int | None, int | None]) -> Stuck:
    return Stuck(run=row[0], agent=row[1], state=State(row[2]), sign_of_life=row[3], silent_by=row[4], deadline=row[5])
