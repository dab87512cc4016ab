"""The last look at what is at work: heartbeat and deadline of each running delegation (E9), and what it uses.

Not history: written at most once a second, without events, and forgotten when the run ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from store.database import write


@dataclass(frozen=True, kw_only=True, slots=True)
class VitalsRow:
    """One agent at one look: CPU in percent of a core, memory in bytes, times in ms since 1970.

    `sign_of_life`: its last heartbeat. `silent_by`: when it will have been silent for too long, `deadline`: when its
    time will be over; both are reckoned anew at each look, from time in which the system was awake.
    """

    run: str
    agent: str
    at: int
    sign_of_life: int | None
    cpu: int | None
    memory: int | None
    tree: tuple[tuple[int, int], ...] = ()
    """Pid and start (ticks since boot) of each of its processes: who is found so again after a crash is its own."""
    silent_by: int | None = None
    deadline: int | None = None


def write_vitals(connection: sqlite3.Connection, rows: Sequence[VitalsRow]) -> None:
    """Replaces what was known of these agents."""
    with write(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO vitals(run, agent, at, sign_of_life, silent_by, deadline, cpu, memory, tree)"
            " VALUES(?,?,?,?,?,?,?,?,?)",
            [
                (
                    one.run,
                    one.agent,
                    one.at,
                    one.sign_of_life,
                    one.silent_by,
                    one.deadline,
                    one.cpu,
                    one.memory,
                    json.dumps(one.tree),
                )
                for one in rows
            ],
        )


def forget_vitals(connection: sqlite3.Connection, run: str) -> None:
    """Removes what was known of a run that has ended."""
    with write(connection):
        connection.execute("DELETE FROM vitals WHERE run=?", (run,))


@dataclass(frozen=True, kw_only=True, slots=True)
class Vitals:
    """The last look at a running agent's tree: CPU in percent of a core, memory in bytes, when it last spoke."""

    at: int
    sign_of_life: int | None
    cpu: int | None
    memory: int | None
    pids: tuple[int, ...]


def vitals_of(connection: sqlite3.Connection, run: str) -> dict[str, Vitals]:
    """The newest vitals of each agent of a run that is at work."""
    return {
        row[0]: Vitals(
            at=row[1], sign_of_life=row[2], cpu=row[3], memory=row[4], pids=tuple(pid for pid, _ in json.loads(row[5]))
        )
        for row in connection.execute(
            "SELECT agent, at, sign_of_life, cpu, memory, tree FROM vitals WHERE run=?", (run,)
        )
    }


def trees_of(connection: sqlite3.Connection, run: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Pid and start (ticks since boot) of every process that was last seen in the tree of each agent at work."""
    return {
        agent: tuple((pid, ticks) for pid, ticks in json.loads(tree))
        for agent, tree in connection.execute("SELECT agent, tree FROM vitals WHERE run=?", (run,))
    }
