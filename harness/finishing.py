"""Runs whose agents finish without their watch, as their workflow chose (R19): nobody conducts them any more.

A watch that comes back while they do leaves them alone. What they finished is recorded once the last one has ended; a
stop that is asked for meanwhile, or the deadline of the run, ends them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.admission import gate_of_run
from harness.attempt_files import attempt_files
from harness.identity import this_boot
from harness.planner import Halt
from harness.survivors import end_survivors, survivors
from store import events as e
from store.ids import now_ms
from store.model import Reason, State, WatchDeath
from store.paths import Places
from store.record import Batch, Handled
from store.run import Run

LOOK_S = 1.0


def at_work(places: Places, run: Run, *, record_id: str) -> list[str]:
    """The marks of those of its attempts that go on by themselves; none unless the run's workflow chose that.

    Takes some milliseconds: one look at every process.
    """
    if run.plan.watch_death is not WatchDeath.FINISH:
        return []
    marks = [
        f"{record_id}/{attempt.id}"
        for one in run.delegations.values()
        for attempt in one.attempts
        if attempt.ended_at is None
        and attempt.boot in (None, this_boot())
        and not attempt_files(places, run.id, one.name, attempt.number).exit.exists()
    ]
    return [mark for mark in marks if survivors([mark])]


async def until_they_have_ended(places: Places, run: Run, *, record_id: str) -> Halt | None:
    """Returns when none of them is left; before that, the gate that closes meanwhile, if one does."""
    while await asyncio.to_thread(at_work, places, run, record_id=record_id):
        gate = gate_of_run(run, now=now_ms())
        if gate is not None and gate.reason is Reason.DEADLINE and run.halted is None:
            return gate
        await asyncio.sleep(LOOK_S)
    return None


def stopping(run: Run, agent: str | None, halt: Halt, handled: Handled | None = None) -> Batch:
    """What is recorded before the run, or one agent of it, is ended (R14)."""
    events: list[e.Event] = []
    if agent is None and run.halted is None:
        events.append(e.RunStopping(run=run.id, reason=halt.reason, detail=halt.detail))
    for one in run.delegations.values():
        if one.state in (State.RUNNING, State.REVIEW) and agent in (None, one.name):
            events.append(e.DelegationStopping(run=run.id, agent=one.name, reason=halt.reason, detail=halt.detail))
        elif one.state is State.DELEGATED and agent == one.name:
            events.append(e.DelegationStopping(run=run.id, agent=agent, reason=halt.reason, detail=halt.detail))
            events.append(e.DelegationStopped(run=run.id, agent=agent, reason=halt.reason, detail=halt.detail))
    return Batch(events=events, handled=handled)


async def end(places: Places, run: Run, agent: str | None, *, record_id: str) -> Sequence[object]:
    """Ends the processes of the run, or of one agent of it; what could not be ended."""
    marks = [
        f"{record_id}/{attempt.id}"
        for one in run.delegations.values()
        for attempt in one.attempts
        if agent in (None, one.name) and attempt.ended_at is None
    ]
    return (await asyncio.to_thread(end_survivors, marks)).remain
