"""The watch: takes requests, conducts runs, shows their vitals, and leaves when nobody needs it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

from harness import surroundings
from harness.clock import Clock
from harness.grace import grace
from harness.identity import identity_of
from harness.keeping import Keeping
from harness.live_runs import LiveRuns
from harness.lock import Lock
from harness.logout import survival
from harness.own_thread import in_own_thread
from harness.relay import Relay
from harness.scribe import Scribe
from harness.supervisor import Supervisor
from harness.sweeper import Sweeper
from harness.taking import Taking
from store import inbox
from store.database import data_version, open_reader, unavailable
from store.errors import RecordUnavailable, StoreError
from store.ids import now_ms
from store.paths import Places, machine_id
from store.views import harness_paused, meta

TICK_S = 0.05
LOOK_S = 1.0
IDLE_LOOK_S = 0.25
LEAVES_AFTER_S = 5.0
SHUTDOWN_S = 4.5  # of which what is being recorded gets the first second
_RECORDING_S = 1.0
_log = logging.getLogger("midwatch.watch")


class Watch:
    """One per user and record; single by its lock, right by compare-and-set even without."""

    def __init__(
        self, places: Places, *, lock: Lock, stays: bool = False, read_clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._places = places
        self._lock = lock
        self._stays = stays
        self._clock = Clock(read_clock)
        self._scribe = Scribe(places.record, machine=machine_id())
        self._relay = Relay(places, self._scribe)
        self._keeping = Keeping(places, self._scribe)
        self._aside: list[asyncio.Future[None]] = []
        self._supervisor = Supervisor()
        self._sweeper: Sweeper | None = None
        self._ending = asyncio.Event()
        self._fault: StoreError | None = None
        self._trouble = ""
        self._started_at = now_ms()

    async def serve(self) -> None:
        """Returns when the watch has left: told to, or with nothing live and nobody looking.

        Raises `StoreError` when it had to leave because nothing can be recorded any more.
        """
        self._describe(ready=False)
        self._scribe.start()
        self._reader = open_reader(self._places.record)
        self._record_file = _file_at(self._places)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._told_to_end, number)
        await self._supervisor.start()
        try:
            await self._begin()
            while not await self._until_nothing_is_left():
                pass
            if self._fault is not None:
                raise self._fault
        except sqlite3.Error as error:
            raise unavailable(self._places.record, error) from error
        finally:
            if self._sweeper is not None:
                self._sweeper.close()
            await asyncio.gather(self._relay.close(), self._keeping.close())
            await self._supervisor.close()
            self._scribe.close()
            self._reader.close()

    async def _begin(self) -> None:
        """Settles what was cut off, and from then on takes requests."""
        record_id = str(meta(self._reader, "record"))
        self._runs = LiveRuns(
            self._places,
            scribe=self._scribe,
            reader=self._reader,
            supervisor=self._supervisor,
            record_id=record_id,
            left=self._run_left,
            clock=self._clock,
        )
        self._sweeper = Sweeper(self._runs, self._scribe)
        self._taking = Taking(
            self._places,
            scribe=self._scribe,
            reader=self._reader,
            runs=self._runs,
            record_id=record_id,
            broken=self._end_for,
        )
        await self._settle_what_was_cut_off()
        self._runs.paused = harness_paused(self._reader)
        surroundings.sweep(self._places.handoffs)
        self._describe(ready=True)
        self._aside = [asyncio.ensure_future(part.run()) for part in (self._relay, self._keeping)]
        self._aside.append(asyncio.ensure_future(_note_how_long_it_lives()))

    async def _settle_what_was_cut_off(self) -> None:
        """Returns when that is done, or the watch was told to end; the next one finds the rest."""
        settling = asyncio.ensure_future(self._runs.recover())
        told = asyncio.ensure_future(self._ending.wait())
        while not settling.done() and not told.done():
            await asyncio.wait({settling, told}, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            self._describe(ready=False)
        told.cancel()
        if settling.done():
            await settling
        else:
            settling.cancel()

    def _describe(self, *, ready: bool) -> None:
        self._described_trouble = self._scribe.trouble
        me = identity_of(os.getpid())
        self._lock.describe(
            {
                "pid": os.getpid(),
                "start_ticks": None if me is None else me.start_ticks,
                "started_at": self._started_at,
                "record": str(self._places.record),
                "ready": ready,
                "trouble": self._scribe.trouble,
            }
        )

    def _told_to_end(self, number: int) -> None:
        _log.info("told to end by signal %d", number)
        self._ending.set()

    def _run_left(self, run: str) -> None:
        self._taking.left(run)
        self._keeping.look()
        if self._runs.fault is not None:
            self._end_for(self._runs.fault)

    def _end_for(self, fault: StoreError) -> None:
        self._fault = self._fault or fault
        self._ending.set()

    async def _until_nothing_is_left(self) -> bool:
        """Whether the watch may leave for good: unlocks, then looks at the inbox once more (nothing may be missed)."""
        await self._attend_until_told_to_end()
        if self._ending.is_set():
            await self._runs.interrupt(patience=SHUTDOWN_S - _RECORDING_S)
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

    async def _attend_until_told_to_end(self) -> None:
        """Returns when nothing is live and nobody looks, or soon after the watch was told to end.

        Soon, although a request is being recorded and the disk is full: the rest is settled at the next start.
        """
        attending = asyncio.ensure_future(self._attend())
        told = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({attending, told}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({attending}, timeout=_RECORDING_S)
        finally:
            told.cancel()
            attending.cancel()
        with suppress(asyncio.CancelledError):
            await attending

    async def _attend(self) -> None:
        seen, looked, quiet_since = -1, time.monotonic(), time.monotonic()
        while not self._ending.is_set():
            self._clock()
            version = data_version(self._reader)
            if version != seen or self._taking.again:
                seen = version
                await self._taking.take_all()
            now = time.monotonic()
            if now - looked >= LOOK_S:
                looked = now
                self._look()
            if self._runs or self._taking.busy or self._relay.owes or self._looked_at() or self._stays:
                quiet_since = now
            elif now - quiet_since >= LEAVES_AFTER_S:
                return
            with suppress(TimeoutError):
                pause = TICK_S if self._runs or now - quiet_since < IDLE_LOOK_S else IDLE_LOOK_S
                await asyncio.wait_for(self._ending.wait(), pause)

    def _looked_at(self) -> bool:
        try:
            lock = Lock(self._places.looking_lock)
        except OSError:  # no file can be opened just now
            return False
        try:
            return lock.held_by_another()
        finally:
            lock.close()

    def _look(self) -> None:
        """What has to be looked at from time to time. That a look fails (no file can be opened) ends nothing."""
        self._runs.look()
        try:
            self._look_at_what_is_ours()
            if self._scribe.trouble != self._described_trouble:
                self._describe(ready=True)
            if self._sweeper is not None:
                self._sweeper.look()
        except OSError as problem:
            if self._trouble != str(problem):
                self._trouble = str(problem)
                _log.error("a look failed: %s", problem)

    def _look_at_what_is_ours(self) -> None:
        """The record and the lock are still the files at their places; else a second watch could conduct beside us."""
        if _file_at(self._places) != self._record_file:
            self._end_for(RecordUnavailable(f"the record {self._places.record} was taken away while the watch lived"))
        elif not self._lock.is_at(self._places.watch_lock):
            _log.error("the lock %s was taken away while the watch lived; taking it again", self._places.watch_lock)
            again = Lock(self._places.watch_lock)
            if not again.take():
                again.close()
                self._end_for(RecordUnavailable("another watch holds the lock, so this one leaves"))
                return
            self._lock.close()
            self._lock = again
            self._describe(ready=True)


async def _note_how_long_it_lives() -> None:
    """Into the log: what the end of the login and of the system mean for this watch (R15, R18)."""
    me = os.getpid()
    survives, why = await in_own_thread(lambda: survival(me), name="survival")
    seconds, whose = await in_own_thread(lambda: grace(me), name="grace")
    _log.info("outlives the login: %s (%s)", {True: "yes", False: "no", None: "unknown"}[survives], why)
    _log.info("seconds when the system goes down: %s (%s)", "unknown" if seconds is None else seconds, whose)


def _file_at(places: Places) -> tuple[int, int] | None:
    try:
        found = places.record.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size else None  # one that was emptied is gone as well
