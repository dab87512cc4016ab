"""A record filled with finished runs: recorded like any other, but many runs to a commit that nobody waits for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from store import events as e
from store.ids import new_id, new_run_id, now_ms
from store.model import Counts, Outcome, Role
from store.plan import Plan, PlannedAgent, PlannedWave
from store.record import Batch, record

EVENTS_OF_RUN = 200
WORKFLOWS = 50
AGENTS = ("api", "ui", "docs", "review")
PLAN = Plan(
    waves=(
        PlannedWave(
            name="build",
            agents=tuple(PlannedAgent(name=name, role=Role.DEVELOPER, cli="claude", model="sonnet") for name in AGENTS),
        ),
    )
)
_FIRST = 1_700_000_000_000
_MINUTE = 60_000
_OF_AGENT = 7  # the events that each agent leaves besides its usage
_OF_RUN = 4
_RUNS_OF_COMMIT = 20


def fill(connection: sqlite3.Connection, *, runs: int, events_of_run: int = EVENTS_OF_RUN) -> None:
    """Adds `runs` finished runs with `events_of_run` events each (at least 32), over `WORKFLOWS` workflows."""
    (synchronous,) = connection.execute("PRAGMA synchronous").fetchone()
    connection.execute("PRAGMA synchronous=OFF")
    for first in range(0, runs, _RUNS_OF_COMMIT):
        numbers = range(first, min(first + _RUNS_OF_COMMIT, runs))
        recorded = record(connection, [Batch(events=tuple(_run(number, events_of_run))) for number in numbers])
        if any(one.refused for one in recorded):
            raise RuntimeError(f"refused while filling: {recorded[0].refused[:1]}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(f"PRAGMA synchronous={synchronous}")


def cut_off(connection: sqlite3.Connection, *, runs: int) -> None:
    """Adds `runs` runs that were live when the box went down, all four agents at work; the next watch settles them."""
    at = now_ms()
    for number in range(runs):
        run = new_run_id()
        used = [
            e.UsageRecorded(run=run, agent=agent, at=at, attempt=1, turns=2, counts=Counts(cost=8_400_000))
            for agent in AGENTS
        ]
        record(connection, [Batch(events=(*_begun(run, at, f"night-{number}"), *used))])


def _run(number: int, length: int) -> Iterator[e.Event]:
    run, at, workflow = new_run_id(), _FIRST + number * _MINUTE, f"ship-{number % WORKFLOWS:02}"
    usages = length - _OF_RUN - _OF_AGENT * len(AGENTS)
    yield from _begun(run, at, workflow)
    for ordinal in range(usages):
        yield e.UsageRecorded(
            run=run,
            agent=AGENTS[ordinal % len(AGENTS)],
            at=at + ordinal,
            attempt=1,
            turns=1,
            counts=Counts(input=1200 + ordinal, output=340, cost=8_400_000),
            model="sonnet",
        )
    at += 17 * _MINUTE
    for agent in AGENTS:
        yield e.AttemptEnded(run=run, agent=agent, at=at, attempt=1, exit_code=0, result="success")
        yield e.DelegationReported(run=run, agent=agent, at=at, attempt=1, answer_bytes=4711)
        yield e.DelegationAccepted(run=run, agent=agent, at=at)
    yield e.WaveFinished(run=run, at=at, wave=0, name="build")
    outcome = Outcome.COMPLETED if number % 3 else Outcome.NOT_ACCEPTED
    yield e.RunFinished(run=run, at=at, outcome=outcome, reached_end=True, why="every agent is done")


def _begun(run: str, at: int, workflow: str) -> Iterator[e.Event]:
    yield e.RunLaunched(
        run=run, at=at, workflow=f"/w/{workflow}.toml", name=workflow, folder="/w", plan=PLAN, digest="d" * 64
    )
    yield e.WaveStarted(run=run, at=at, wave=0, name="build")
    for position, agent in enumerate(AGENTS):
        yield e.DelegationDelegated(run=run, agent=agent, at=at, position=position)
        yield e.DelegationStarted(run=run, agent=agent, at=at, attempt=1, attempt_id=new_id(), cli="claude")
        yield e.AttemptStarted(
            run=run, agent=agent, at=at, attempt=1, pid=4711, start_ticks=1, boot="boot", namespace=1
        )
        yield e.AttemptNamed(run=run, agent=agent, at=at, attempt=1, session=new_id())
