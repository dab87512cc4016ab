"""The watch: takes requests, conducts runs, shows their vitals, and leaves when nobody needs it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from harness import messages as m
from harness import surroundings
from harness.conductor import Conductor
from harness.errors import HarnessError
from harness.hand_over import HandOver
from harness.identity import identity_of
from harness.keeping import Keeping
from harness.launching import Launching
from harness.lock import Lock
from harness.recovery import settle_cut_off_runs, settle_runs
from harness.relay import Relay
from harness.resuming import Resuming
from harness.scribe import Scribe
from harness.settings import load_settings
from harness.supervisor import Supervisor
from store import events as e
from store import inbox, letters
from store.database import data_version, open_reader
from store.errors import StoreError
from store.fold import Folded
from store.ids import now_ms
from store.paths import Places, machine_id
from store.record import Batch, Handled
from store.views import harness_paused, load_run, meta, run_line
from store.vitals import VitalsRow

TICK_S = 0.05
LOOK_S = 1.0
IDLE_LOOK_S = 0.25
LEAVES_AFTER_S = 5.0
SHUTDOWN_S = 4.5
_log = logging.getLogger("midwatch.watch")


class Watch:
    """One per user and record; single by its lock, right by compare-and-set even without."""

    def __init__(self, places: Places, *, lock: Lock, stays: bool = False) -> None:
        self._places = places
        self._lock = lock
        self._stays = stays
        self._scribe = Scribe(places.record, machine=machine_id())
        self._relay = Relay(places, self._scribe)
        self._keeping = Keeping(places, self._scribe)
        self._aside: list[asyncio.Future[None]] = []
        self._supervisor = Supervisor()
        self._conductors: dict[str, Conductor] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._handed_on: set[str] = set()
        self._paused = False
        self._ending = asyncio.Event()
        self._fault: StoreError | None = None
        self._started_at = now_ms()

    async def serve(self) -> None:
        """Returns when the watch has left: told to, or with nothing live and nobody looking."""
        self._describe(ready=False)
        self._scribe.start()
        self._reader = open_reader(self._places.record)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._told_to_end, number)
        await self._supervisor.start()
        try:
            self._record_id = str(meta(self._reader, "record"))
            await settle_cut_off_runs(self._places, self._reader, self._scribe.record, record_id=self._record_id)
            self._paused = harness_paused(self._reader)
            surroundings.sweep(self._places.handoffs)
            self._describe(ready=True)
            self._aside = [asyncio.ensure_future(part.run()) for part in (self._relay, self._keeping)]
            while not await self._until_nothing_is_left():
                pass
            if self._fault is not None:
                raise self._fault
        finally:
            await asyncio.gather(self._relay.close(), self._keeping.close())
            await self._supervisor.close()
            self._scribe.close()
            self._reader.close()

    def _describe(self, *, ready: bool) -> None:
        me = identity_of(os.getpid())
        self._lock.describe(
            {
                "pid": os.getpid(),
                "start_ticks": None if me is None else me.start_ticks,
                "started_at": self._started_at,
                "record": str(self._places.record),
                "ready": ready,
            }
        )

    def _told_to_end(self, number: int) -> None:
        _log.info("told to end by signal %d", number)
        self._ending.set()

    async def _until_nothing_is_left(self) -> bool:
        """Whether the watch may leave for good: unlocks, then looks at the inbox once more (nothing may be missed)."""
        await self._attend()
        if self._ending.is_set():
            await self._interrupt_all()
            self._lock.close()
            return True
        self._lock.close()
        if not inbox.waiting(self._reader):
            return True
        self._lock = Lock(self._places.watch_lock)
        if not self._lock.take():
            return True
        self._describe(ready=True)
        return False

    async def _attend(self) -> None:
        seen, looked, quiet_since = -1, time.monotonic(), time.monotonic()
        while not self._ending.is_set():
            version = data_version(self._reader)
            if version != seen:
                seen = version
                await self._take_requests()
            now = time.monotonic()
            if now - looked >= LOOK_S:
                looked = now
                await self._look()
            if self._conductors or self._relay.owes or self._looked_at() or self._stays:
                quiet_since = now
            elif now - quiet_since >= LEAVES_AFTER_S:
                return
            with suppress(TimeoutError):
                pause = TICK_S if self._conductors or now - quiet_since < IDLE_LOOK_S else IDLE_LOOK_S
                await asyncio.wait_for(self._ending.wait(), pause)

    def _looked_at(self) -> bool:
        lock = Lock(self._places.looking_lock)
        try:
            return lock.held_by_another()
        finally:
            lock.close()

    async def _look(self) -> None:
        for conductor in self._conductors.values():
            conductor.course.put(m.Look())
        if self._conductors:
            self._scribe.vitals(self._vitals())

    def _vitals(self) -> list[VitalsRow]:
        seen = self._supervisor.look()
        at, moment = now_ms(), time.monotonic()
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
                        cpu=None if look is None else round(look.cpu_percent),
                        memory=None if look is None else look.rss_bytes,
                        pids=() if look is None else tuple(look.pids),
                    )
                )
        return rows

    # Requests.

    async def _take_requests(self) -> None:
        try:
            requests = inbox.waiting(self._reader)
        except sqlite3.Error as error:
            _log.error("the inbox cannot be read: %s", error)
            return
        self._handed_on.intersection_update(request.id for request in requests)
        for request in requests:
            if request.id not in self._handed_on:
                await self._take(request)

    async def _take(self, request: inbox.Request) -> None:
        if request.expires_at is not None and now_ms() > request.expires_at:
            await self._answer(request, {"error": f"'{request.verb}' expired before a watch took it up"}, "expired")
            return
        try:
            await self._obey(request)
        except (m.DoesNotApply, HarnessError, StoreError) as refusal:
            await self._answer(request, {"error": str(refusal)}, "refused")

    async def _answer(self, request: inbox.Request, answer: Mapping[str, Any], state: str = "handled") -> None:
        await self._scribe.record([Batch(handled=Handled(request=request.id, answer=answer, state=state))])

    async def _obey(self, request: inbox.Request) -> None:
        body = request.body
        if request.verb in ("launch", "resume"):
            await self._begin(request)
        elif request.verb == "discard":
            await self._discard(request)
        elif request.verb in letters.CHANGES:
            change = letters.CHANGES[request.verb]
            letter = await self._scribe.apart(lambda record: change(record, str(body["letter"])))
            await self._answer(request, {"letter": letter.id, "state": letter.state})
        elif body.get("run") is not None:
            self._ask_run(request)
        elif request.verb in ("pause", "unpause"):
            self._paused = request.verb == "pause"
            event = e.HarnessPaused() if self._paused else e.HarnessUnpaused()
            await self._scribe.record([Batch(events=(event,), handled=Handled(request=request.id))])
            for conductor in self._conductors.values():
                conductor.course.put(m.Look())
        elif request.verb == "drain":
            for conductor in self._conductors.values():
                conductor.course.put(m.Asked(request=None, verb="drain", minutes=float(body["minutes"])))
            await self._answer(request, {"runs": list(self._conductors)})
        else:
            raise m.DoesNotApply(f"'{request.verb}' is not a request that this watch knows")

    def _ask_run(self, request: inbox.Request) -> None:
        body = request.body
        run = str(body["run"])
        conductor = self._conductors.get(run)
        if conductor is None:
            raise m.DoesNotApply(f"run {run} is not live")
        minutes = float(body.get("minutes") or 0)
        asked = m.Asked(request=request.id, verb=request.verb, agent=body.get("agent"), minutes=minutes)
        self._handed_on.add(request.id)
        conductor.course.put(asked)

    async def _begin(self, request: inbox.Request) -> None:
        settings = await asyncio.to_thread(load_settings, self._places.settings)
        if request.verb == "launch":
            launching = Launching(places=self._places, settings=settings, record_id=self._record_id)
            folded, hand_over, batch = await asyncio.to_thread(launching.prepare, request)
        else:
            resuming = Resuming(places=self._places, settings=settings, record_id=self._record_id)
            folded, hand_over, batch = await asyncio.to_thread(resuming.prepare, self._reader, request)
        (recorded,) = await self._scribe.record([batch])
        if not recorded.stale:
            self._conduct(folded, hand_over)

    async def _discard(self, request: inbox.Request) -> None:
        line = run_line(self._reader, str(request.body["run"]))
        if not line.restored or line.discarded or line.dropped:
            raise m.DoesNotApply(f"run {line.id} does not wait for anything: it was {line.outcome or 'not cut off'}")
        handled = Handled(request=request.id, answer={"run": line.id})
        await self._scribe.record([Batch(events=(e.RunDiscarded(run=line.id),), handled=handled)])

    def _conduct(self, folded: Folded, hand_over: HandOver) -> None:
        conductor = Conductor(
            folded=folded,
            hand_over=hand_over,
            supervisor=self._supervisor,
            record=self._scribe.record,
            harness_paused=lambda: self._paused,
        )
        self._conductors[folded.run.id] = conductor
        task = asyncio.ensure_future(self._see_through(conductor))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _see_through(self, conductor: Conductor) -> None:
        run = conductor.run.id
        try:
            await conductor.conduct()
        except StoreError as error:
            self._fault = error
            self._ending.set()
        except Exception:
            _log.exception("the conductor of run %s broke; what it had at work is ended and the run settled", run)
            await self._settle_broken(conductor)
        finally:
            self._scribe.forget_vitals(run)
            self._conductors.pop(run, None)
            self._keeping.look()

    async def _settle_broken(self, conductor: Conductor) -> None:
        """A run that nobody conducts may not stay live in the record: 'running' with nothing behind it."""
        kept = [work.kept for work in conductor.course.at_work.values() if work.kept is not None]
        await asyncio.gather(*(one.end(grace=1.0) for one in kept), return_exceptions=True)
        left = load_run(self._reader, conductor.run.id)
        if left.live:
            await settle_runs(self._places, self._scribe.record, [left], record_id=self._record_id)

    async def _interrupt_all(self) -> None:
        """Everything at work is ended and recorded as interrupted; a reboot gives no more than seconds."""
        for conductor in self._conductors.values():
            conductor.course.put(m.Interrupt())
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=SHUTDOWN_S)
