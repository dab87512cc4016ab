"""The live runs of one watch: those it conducts, and those whose agents finish by themselves."""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from harness import finishing
from harness import messages as m
from harness.conductor import Conductor, LostRun
from harness.credentials import Credentials
from harness.family import Family
from harness.hand_over import HandOver
from harness.planner import Halt
from harness.recovery import cut_off, settle_runs
from harness.scribe import Scribe
from harness.supervisor import Supervisor
from store import events as e
from store.credentials import remembered
from store.errors import StoreError
from store.fold import Folded
from store.ids import now_ms
from store.model import Reason
from store.paths import Places
from store.record import Batch, Handled
from store.run import Run
from store.views import children_of, load_run
from store.vitals import VitalsRow

_log = logging.getLogger("midwatch.watch")


class LiveRuns:
    """One per watch, on its event loop. `left` is called with the id of each run that is not live any more."""

    def __init__(
        self,
        places: Places,
        *,
        scribe: Scribe,
        reader: sqlite3.Connection,
        supervisor: Supervisor,
        record_id: str,
        left: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._places = places
        self._scribe = scribe
        self._reader = reader
        self._supervisor = supervisor
        self._record_id = record_id
        self._left = left
        self._clock = clock
        self._conductors: dict[str, Conductor] = {}
        self.family = Family(self._conductors, record_id=record_id)
        self._finishing: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._interrupting = False
        self.credentials = Credentials(changed=self.look)
        """What does not work, as far as this watch knows (K1)."""
        self.settled: set[str] = set()
        """Runs that were cut off and that this watch has settled."""
        self.paused = False
        """Whether a person holds everything that has not started."""
        self.fault: StoreError | None = None
        """Why nothing can be recorded any more, once that is so."""

    def __bool__(self) -> bool:
        """Whether any run is live."""
        return bool(self._conductors or self._finishing)

    @property
    def conducted(self) -> Sequence[str]:
        """The ids of the runs that are conducted."""
        return list(self._conductors)

    async def recover(self) -> None:
        """Settles what was cut off (R8–R10); what finishes by itself is left to (R19). With the watch's lock held."""
        await self._forget_credentials()
        left: list[Run] = []
        for run in cut_off(self._reader):
            if await asyncio.to_thread(finishing.at_work, self._places, run, record_id=self._record_id):
                self._finishing[run.id] = self._begin(self._see_finish(run))
            else:
                left.append(run)
        await self._settle(left)

    async def _forget_credentials(self) -> None:
        """What an earlier watch remembered died with it (K1)."""
        why = "the watch that remembered it has ended"
        events = [e.CredentialCleared(key=one.key, why=why) for one in remembered(self._reader)]
        if events:
            await self._scribe.record([Batch(events=tuple(events))])

    def conduct(self, folded: Folded, hand_over: HandOver) -> None:
        """Conducts a run that was just launched; nothing of it starts once the watch is ending."""
        if self._interrupting:
            return
        conductor = Conductor(
            folded=folded,
            hand_over=hand_over,
            supervisor=self._supervisor,
            record=self._scribe.record,
            harness_paused=lambda: self.paused,
            clock=self._clock,
            recorded=self.family.stands,
            credentials=self.credentials,
        )
        self._conductors[folded.run.id] = conductor
        self.family.began(folded.run)
        self._begin(self._see_through(conductor))

    def ask(self, run: str, asked: m.Asked) -> bool:
        """Whether the run is conducted; then its conductor answers the request."""
        conductor = self._conductors.get(run)
        if conductor is not None:
            conductor.course.put(asked)
        return conductor is not None

    def finishes(self, run: str) -> bool:
        """Whether its agents finish by themselves."""
        return run in self._finishing

    async def stop_finishing(self, run: str, agent: str | None, halt: Halt, handled: Handled | None = None) -> None:
        """Ends a run whose agents finish by themselves, or one of them; it is settled when none is left.

        What its agents launched, and finishes by itself as well, is ended too.
        """
        now = load_run(self._reader, run)
        for child in children_of(self._reader, run):
            if child.id in self._finishing and agent in (None, child.parent_agent):
                why = f"run {run}, which launched it, was stopped"
                await self.stop_finishing(child.id, None, Halt(reason=Reason.PARENT, detail=why))
        await self._scribe.record([finishing.stopping(now, agent, halt, handled)])
        for one in await finishing.end(self._places, now, agent, record_id=self._record_id):
            _log.error("a process of run %s could not be ended: %s", run, one)

    def stuck(self, run: str, agent: str) -> None:
        """The sweeper found it."""
        conductor = self._conductors.get(run)
        if conductor is not None:
            conductor.course.put(m.Stuck(agent=agent))

    def look(self) -> None:
        """Time passed or a hold changed."""
        for conductor in self._conductors.values():
            conductor.course.put(m.Look())

    def vitals(self) -> list[VitalsRow]:
        """A look at what is at work: the heartbeat of each, and by when it must have given the next one or be done."""
        seen = self._supervisor.look()
        at, moment = now_ms(), self._clock()

        def on_the_wall(when: float | None) -> int | None:
            return None if when is None else at + math.ceil((when - moment) * 1000)

        rows = []
        for run, conductor in self._conductors.items():
            for agent, work in conductor.course.at_work.items():
                look = seen.get(f"{self._record_id}/{work.attempt_id}")
                rows.append(
                    VitalsRow(
                        run=run,
                        agent=agent,
                        at=at,
                        sign_of_life=at - int((moment - work.last_sign) * 1000),
                        silent_by=on_the_wall(work.silent_by),
                        deadline=on_the_wall(work.deadline),
                        cpu=None if look is None else round(look.cpu_percent),
                        memory=None if look is None else look.rss_bytes,
                        tree=() if look is None else look.tree,
                    )
                )
        return rows

    async def interrupt(self, *, patience: float) -> None:
        """Ends everything that is conducted and records it as interrupted; what finishes by itself goes on doing so."""
        self._interrupting = True
        for task in self._finishing.values():
            task.cancel()
        for conductor in self._conductors.values():
            conductor.course.put(m.Interrupt())
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=patience)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _see_through(self, conductor: Conductor) -> None:
        run = conductor.run.id
        try:
            await self._conduct(conductor)
        except StoreError as error:
            self.fault = error
        finally:
            self._scribe.forget_vitals(run)
            del self._conductors[run]
            self.family.forget(run)
            self.family.left(run)
            self._left(run)

    async def _conduct(self, conductor: Conductor) -> None:
        try:
            await conductor.conduct()
        except StoreError:
            raise
        except LostRun as lost:
            _log.error("%s; what it has at work here is ended", lost)
            await self._settle_broken(conductor)
        except Exception:
            _log.exception(
                "the conductor of run %s broke; what it had at work is ended and the run settled", conductor.run.id
            )
            await self._settle_broken(conductor)

    async def _settle_broken(self, conductor: Conductor) -> None:
        """A run that nobody conducts may not stay live in the record: 'running' with nothing behind it."""
        kept = [work.kept for work in conductor.course.at_work.values() if work.kept is not None]
        await asyncio.gather(*(one.end(grace=1.0) for one in kept), return_exceptions=True)
        left = load_run(self._reader, conductor.run.id)
        if left.live:
            await self._settle([left])

    async def _see_finish(self, run: Run) -> None:
        _log.info("run %s finishes by itself, as its workflow says for the death of its watch", run.id)
        try:
            gate = await finishing.until_they_have_ended(self._places, run, record_id=self._record_id)
            if gate is not None:
                await self.stop_finishing(run.id, None, gate)
            await self._settle([load_run(self._reader, run.id)])
        except StoreError as error:
            self.fault = error
        finally:
            del self._finishing[run.id]
            self._left(run.id)

    async def _settle(self, runs: Sequence[Run]) -> None:
        if runs:
            await settle_runs(self._places, self._reader, self._scribe.record, runs, record_id=self._record_id)
            self.settled.update(run.id for run in runs)
