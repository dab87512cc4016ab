"""At start: what the record says runs against what runs (R8–R10, E11).

For each live run whose watch is gone: end every survivor, read what the journals and `.exit` files still tell, then
settle the run in one transaction. It launches nothing and resumes nothing. Twice, or cut off in the middle, it comes to
the same: readings give the same event ids, and a settled run is not live.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.agents import adapter
from harness.at_work import AtWork, reading_of
from harness.attempt_files import AttemptFiles, attempt_files
from harness.full_disk import is_full
from harness.hand_over import error_text, ledger_of
from harness.identity import Identity, this_boot
from harness.rereading import lines_of
from harness.review import review, unkept
from harness.settling import unsupplied
from harness.supervisor import Exit
from harness.survivors import end_survivors
from store import events as e
from store.fold import Folded, step
from store.machine import next_delegation_state
from store.model import Reason, State, WatchDeath
from store.outcome import resolve
from store.paths import Places
from store.plan import PlannedAgent
from store.record import Batch, Recorded
from store.recovery import earlier_runs
from store.run import Attempt, Delegation, Run
from store.views import live_runs, load_run
from store.vitals import trees_of

KEEPER_WAIT_S = 3.0  # a keeper whose watch died ends its tree and writes `.exit` within this
_CUT_OFF = (Reason.INTERRUPTED, "cut off in mid-flight")
_ENDED_BY_KEEPER: Mapping[str | None, tuple[Reason, str]] = {  # an agent that was left to finish without a watch (R19)
    "timeout": (Reason.TIMEOUT, "it took longer than its timeout"),
    "output limit": (Reason.OUTPUT_LIMIT, "it printed more than its output limit"),
}
_log = logging.getLogger("midwatch.recovery")

Record = Callable[[Sequence[Batch]], Awaitable[list[Recorded]]]


def cut_off(reader: sqlite3.Connection) -> list[Run]:
    """The runs that the record says are live, as a watch finds them that has just taken the lock."""
    return [load_run(reader, line.id) for line in live_runs(reader)]


async def settle_runs(
    places: Places, reader: sqlite3.Connection, record: Record, runs: Sequence[Run], *, record_id: str
) -> None:
    """Settles these runs, which the record says are live and nobody conducts any more."""
    open_attempts = [found for run in runs for found in _open_attempts(run)]
    marks = [f"{record_id}/{attempt.id}" for _, _, attempt in open_attempts]
    await asyncio.to_thread(_wait_for_keepers, places, open_attempts)
    seen = [one for run in runs for one in _last_seen(run, trees_of(reader, run.id))]
    remaining = await asyncio.to_thread(end_survivors, marks, seen=seen)
    for survivor in remaining.remain:
        _log.error("a process of a dead run could not be ended: %s", survivor)
    for run in runs:
        batch = await asyncio.to_thread(_settlement, places, run, earlier_runs(reader, run))
        await record([batch])
        _log.info("settled run %s, which was cut off", run.id)


def _open_attempts(run: Run) -> Iterator[tuple[Run, Delegation, Attempt]]:
    for delegation in run.delegations.values():
        attempt = delegation.attempt
        if attempt is not None and attempt.ended_at is None:
            yield run, delegation, attempt


def _last_seen(run: Run, trees: Mapping[str, Sequence[tuple[int, int]]]) -> Iterator[Identity]:
    """What was in the tree of each open attempt at the last look, also if it has given its mark away since."""
    for _, delegation, attempt in _open_attempts(run):
        if attempt.boot is not None and attempt.namespace is not None:
            for pid, ticks in trees.get(delegation.name, ()):
                yield Identity(pid=pid, start_ticks=ticks, boot=attempt.boot, namespace=attempt.namespace)


def _wait_for_keepers(places: Places, attempts: Sequence[tuple[Run, Delegation, Attempt]]) -> None:
    boot = this_boot()
    expected = [
        attempt_files(places, run.id, delegation.name, attempt.number).exit
        for run, delegation, attempt in attempts
        if attempt.boot == boot
    ]
    deadline = time.monotonic() + KEEPER_WAIT_S
    while time.monotonic() < deadline and not all(path.exists() for path in expected):
        time.sleep(0.02)


class _Settlement:
    """The events that settle one run, each checked against the machine on the way."""

    def __init__(self, run: Run, earlier: Sequence[Run]) -> None:
        self.earlier = earlier
        self.folded = Folded(run=run)
        self.events: list[e.Event] = []

    def emit(self, event: e.Event) -> None:
        if event.type.startswith("delegation."):
            before = self.folded.run.delegations[event.agent or ""].state
            if next_delegation_state(before, event.type) is None:
                return
        folded = step(self.folded, event)
        assert folded is not None
        self.folded = folded
        self.events.append(event)


def _settlement(places: Places, run: Run, earlier: Sequence[Run]) -> Batch:
    settlement = _Settlement(run, earlier)
    settlement.emit(e.RunRestored(run=run.id))
    for delegation in run.delegations.values():
        if delegation.final:
            continue
        attempt = delegation.attempt
        if delegation.state is State.REFINING:
            settlement.emit(e.DelegationStopped(run=run.id, agent=delegation.name, reason=Reason.INTERRUPTED))
        elif attempt is None:
            _abandon(settlement, run, delegation)
        else:
            _settle(settlement, places, run, delegation, attempt)
    settled = settlement.folded.run
    if run.halted is None and any(
        one.state is State.NOT_STARTED or one.reason is Reason.INTERRUPTED for one in settled.delegations.values()
    ):
        settlement.emit(e.RunStopping(run=run.id, reason=Reason.INTERRUPTED, detail="cut off while it ran"))
    resolution = resolve(settlement.folded.run)
    settlement.emit(
        e.RunFinished(
            run=run.id,
            outcome=resolution.outcome,
            reached_end=settlement.folded.run.halted is None,
            why=resolution.why,
        )
    )
    return Batch(events=tuple(settlement.events))


def _abandon(settlement: _Settlement, run: Run, delegation: Delegation) -> None:
    if delegation.state is State.DELEGATED:
        settlement.emit(
            e.DelegationNotStarted(
                run=run.id, agent=delegation.name, reason=Reason.STOPPED, detail="the run was cut off before its turn"
            )
        )
        return
    settlement.emit(
        e.DelegationStopped(run=run.id, agent=delegation.name, reason=delegation.reason or Reason.INTERRUPTED)
    )


def _settle(settlement: _Settlement, places: Places, run: Run, delegation: Delegation, attempt: Attempt) -> None:
    files = attempt_files(places, run.id, delegation.name, attempt.number)
    planned = run.plan.agent(delegation.name)
    work = _read_again(places, run, planned, attempt, files, settlement)
    work.gone = _exit(files)
    if attempt.ended_at is None:
        if planned.metered and not work.reading.metered:
            settlement.emit(unsupplied(work))
        settlement.emit(work.ended())
    if delegation.state is State.DELEGATED:
        _stop(settlement, delegation, Reason.INTERRUPTED, "cut off while it waited to be tried again")
        return
    if delegation.state is State.STOPPING:
        reason = delegation.reason or Reason.INTERRUPTED
        settlement.emit(e.DelegationStopped(run=run.id, agent=delegation.name, reason=reason, detail=delegation.detail))
        return
    if not _finished_by_itself(work):
        reason, detail = _ENDED_BY_KEEPER.get(work.gone.asked if work.gone else None, _CUT_OFF)
        _stop(settlement, delegation, reason, detail)
        return
    watched_to_the_end = run.plan.watch_death is WatchDeath.STOP and attempt.ended_at is None
    ending = work.ending(interrupted_near=watched_to_the_end)  # its watch was gone before it could record the end
    if ending.state is State.STOPPED:
        _stop(settlement, delegation, Reason.INTERRUPTED, ending.detail or _CUT_OFF[1])
        return
    if ending.state is State.BLOCKED:
        settlement.emit(e.DelegationBlocked(run=run.id, agent=delegation.name, detail=ending.detail or "blocked"))
        return
    if ending.state is not State.DONE:
        told = error_text(files, work, ending)
        settlement.emit(e.DelegationFailed(run=run.id, agent=delegation.name, detail=told))
        return
    answer = work.answer(files)
    settlement.emit(
        e.DelegationReported(run=run.id, agent=delegation.name, attempt=attempt.number, answer_bytes=answer.bytes)
    )
    try:
        event = review(work, answer, ending)
    except OSError as problem:
        if is_full(problem):  # no failure of its own: a person may have it done again
            _stop(settlement, delegation, Reason.INTERRUPTED, "its answer could not be kept: the disk is full")
            return
        event = unkept(work, problem)
    settlement.emit(event)


def _stop(settlement: _Settlement, delegation: Delegation, reason: Reason, detail: str) -> None:
    run, agent = settlement.folded.run.id, delegation.name
    settlement.emit(e.DelegationStopping(run=run, agent=agent, reason=reason, detail=detail))
    settlement.emit(e.DelegationStopped(run=run, agent=agent, reason=reason, detail=detail))


def _finished_by_itself(work: AtWork) -> bool:
    """Whether the attempt's end is its own: a final result in its journal, or an exit nobody asked for (E11)."""
    if work.reading.result is not None:
        return work.reading.result.ok or (work.gone is not None and work.gone.asked is None)
    return work.gone is not None and work.gone.asked is None and work.gone.signal is None and not work.gone.lost_keeper


def _read_again(
    places: Places, run: Run, planned: PlannedAgent, attempt: Attempt, files: AttemptFiles, settlement: _Settlement
) -> AtWork:
    chosen = adapter(planned.cli)
    reading = reading_of(
        run.id,
        planned,
        chosen,
        attempt.number,
        attempt.id,
        files=files,
        ledger=ledger_of(places, planned, attempt.session, settlement.earlier),
        turns=run.delegations[planned.name].totals.turns,
    )
    work = AtWork(
        run=run.id,
        planned=planned,
        adapter=chosen,
        attempt=attempt.number,
        attempt_id=attempt.id,
        session=attempt.session,
        reading=reading,
        launched=True,
    )
    if work.takes_lines:
        found = work.reading.read_to_end(line for lines in lines_of(files.out) for line in lines)
        for event in found if attempt.ended_at is None else ():  # once it is recorded as ended, all of it was read
            settlement.emit(event)
    return work


def _exit(files: AttemptFiles) -> Exit | None:
    try:
        facts: dict[str, Any] = json.loads(files.exit.read_text())
    except (OSError, ValueError):
        return None
    return Exit.of_file(facts, out_bytes=_size(files.out), err_bytes=_size(files.err))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
