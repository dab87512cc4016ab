"""Taking requests from the inbox: each is answered in the transaction of its effect, or with the reason why not.

Whatever stands in a request, it is answered: one that stayed would end every watch that reads it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from harness import messages as m
from harness import surroundings
from harness.errors import HarnessError
from harness.hand_over import HandOver
from harness.identity import this_boot
from harness.launching import Launching
from harness.live_runs import LiveRuns
from harness.planner import Halt
from harness.requests import STARTS_A_RUN
from harness.resuming import Resuming
from harness.scribe import Scribe
from harness.settings import load_settings
from store import events as e
from store import inbox, letters
from store.database import open_reader
from store.errors import RunNotFound, StoreError
from store.fold import Folded
from store.ids import now_ms
from store.model import Reason
from store.paths import Places
from store.record import Batch, Handled
from store.views import run_line

_LONGEST_DRAIN = 366 * 24 * 60  # minutes
_log = logging.getLogger("midwatch.watch")


class Taking:
    """One per watch, on its event loop. `broken` is called when nothing can be recorded any more."""

    def __init__(
        self,
        places: Places,
        *,
        scribe: Scribe,
        reader: sqlite3.Connection,
        runs: LiveRuns,
        record_id: str,
        broken: Callable[[StoreError], None],
    ) -> None:
        self._places = places
        self._scribe = scribe
        self._reader = reader
        self._runs = runs
        self._record_id = record_id
        self._broken = broken
        self._handed_on: dict[str, str] = {}  # request → run whose conductor is to answer it
        self._beginning: dict[str, asyncio.Task[None]] = {}  # by request
        self._one_resume = asyncio.Lock()  # who resumes second must see that the first has taken the agent up (R17)
        self.again = False
        """Whether to look at the inbox though nobody has committed anything."""

    @property
    def busy(self) -> bool:
        """Whether a run is being prepared."""
        return bool(self._beginning)

    def left(self, run: str) -> None:
        """A run is not conducted any more: what its conductor was asked last and did not answer is taken again."""
        self._handed_on = {request: of for request, of in self._handed_on.items() if of != run}
        self.again = True

    async def take_all(self) -> None:
        """Takes everything that waits."""
        self.again = False
        try:
            requests = inbox.waiting(self._reader)
        except sqlite3.Error as error:
            _log.error("the inbox cannot be read: %s", error)
            return
        waiting = {request.id for request in requests}
        self._handed_on = {request: run for request, run in self._handed_on.items() if request in waiting}
        for request in requests:
            if request.id in self._handed_on or request.id in self._beginning:
                continue
            if request.verb in STARTS_A_RUN:  # which may take its time, and must not hold up a stop
                self._beginning[request.id] = asyncio.ensure_future(self._take_apart(request))
            else:
                await self._take(request)

    async def _take_apart(self, request: inbox.Request) -> None:
        try:
            await self._take(request)
        except StoreError as fault:
            self._broken(fault)
        finally:
            del self._beginning[request.id]
            self.again = True

    async def _take(self, request: inbox.Request) -> None:
        if _too_late(request):
            await self._answer(request, {"error": f"'{request.verb}' expired before a watch took it up"}, "expired")
            return
        try:
            await self._obey(request)
        except (m.DoesNotApply, HarnessError, StoreError) as refusal:
            await self._refuse(request, str(refusal))
        except OSError as problem:
            where = "" if problem.filename is None else f" ({problem.filename})"
            await self._refuse(request, f"'{request.verb}' could not be done: {problem.strerror or problem}{where}")
        except Exception as error:
            _log.exception("request %s ('%s') is refused", request.id, request.verb)
            await self._refuse(request, f"'{request.verb}' cannot be understood: {type(error).__name__}: {error}")

    async def _refuse(self, request: inbox.Request, why: str) -> None:
        await self._answer(request, {"error": why}, "refused")

    async def _answer(self, request: inbox.Request, answer: Mapping[str, Any], state: str = "handled") -> None:
        if request.verb in STARTS_A_RUN:  # nobody will take the terminal's surroundings any more
            with suppress(HarnessError):
                surroundings.take(self._places.handoffs, request.id)
        await self._scribe.record([Batch(handled=Handled(request=request.id, answer=answer, state=state))])

    async def _obey(self, request: inbox.Request) -> None:
        body = request.body
        if request.verb in STARTS_A_RUN:
            await self._begin(request)
        elif request.verb == "discard":
            await self._discard(request)
        elif request.verb in letters.CHANGES:
            change = letters.CHANGES[request.verb]
            letter = await self._scribe.apart(lambda record: change(record, str(body["letter"])))
            await self._answer(request, {"letter": letter.id, "state": letter.state})
        elif request.verb == "forget":
            await self._forget(request)
        elif request.verb not in ("stop", "drain", "pause", "unpause"):
            raise m.DoesNotApply(f"'{request.verb}' is not a request that this watch knows")
        elif body.get("run") is not None:
            await self._ask_run(request)
        elif request.verb == "stop":
            raise m.DoesNotApply("'stop' needs a run")
        elif request.verb == "drain":
            await self._drain_all(request)
        else:
            await self._hold_all(request)

    async def _forget(self, request: inbox.Request) -> None:
        key, why = str(request.body["key"]), str(request.body.get("why") or "a person cleared it")
        cleared = self._runs.credentials.forget(key, why)
        if cleared is None:
            raise m.DoesNotApply(f"nothing is remembered of a credential {key}; `midwatch credentials` lists what is")
        await self._scribe.record([Batch(events=(cleared,), handled=Handled(request=request.id, answer={"key": key}))])

    async def _hold_all(self, request: inbox.Request) -> None:
        self._runs.paused = request.verb == "pause"
        event = e.HarnessPaused() if self._runs.paused else e.HarnessUnpaused()
        await self._scribe.record([Batch(events=(event,), handled=Handled(request=request.id))])
        self._runs.look()

    async def _drain_all(self, request: inbox.Request) -> None:
        minutes, conducted = _minutes(request.body), self._runs.conducted
        for run in conducted:
            self._runs.ask(run, m.Asked(request=None, verb="drain", minutes=minutes))
        await self._answer(request, {"runs": list(conducted)})

    async def _ask_run(self, request: inbox.Request) -> None:
        run, agent = str(request.body["run"]), request.body.get("agent")
        if not isinstance(agent, str | None):
            raise m.DoesNotApply("an agent is named by its name")
        asked = m.Asked(request=request.id, verb=request.verb, agent=agent, minutes=_minutes(request.body))
        if self._runs.ask(run, asked):
            self._handed_on[request.id] = run
        elif request.verb != "unpause" and self._runs.finishes(run):
            handled = Handled(request=request.id, answer={"run": run})
            if request.verb == "stop":
                told = Halt(reason=Reason.OPERATOR, detail="a person stopped it")
                await self._runs.stop_finishing(run, agent, told, handled)
            else:  # nothing of it would start anyway
                await self._scribe.record([Batch(handled=handled)])
        elif request.verb != "unpause" and run in self._runs.settled:
            await self._answer(request, {"run": run})  # asked while it was cut off: nothing of it runs or will start
        else:
            raise m.DoesNotApply(self._not_live(run))

    def _not_live(self, run: str) -> str:
        if self._runs.finishes(run):
            return f"the agents of run {run} finish without a watch that conducts them; nothing new starts in it"
        try:
            line = run_line(self._reader, run)
        except RunNotFound as unknown:
            return str(unknown)
        return f"run {run} has finished ({line.outcome})" if line.outcome else f"run {run} is not conducted here"

    async def _begin(self, request: inbox.Request) -> None:
        settings = await asyncio.to_thread(load_settings, self._places.settings)
        if request.verb == "launch":
            if (parent := request.body.get("parent")) is not None:
                self._runs.family.expect(parent)
            launching = Launching(places=self._places, settings=settings, record_id=self._record_id)
            await self._record(await asyncio.to_thread(launching.prepare, request))
            return
        resuming = Resuming(places=self._places, settings=settings, record_id=self._record_id)
        async with self._one_resume:
            await self._record(await asyncio.to_thread(self._resume, resuming, request))

    async def _record(self, prepared: tuple[Folded, HandOver, Batch]) -> None:
        folded, hand_over, batch = prepared
        (recorded,) = await self._scribe.record([batch])
        if recorded.stale:  # it expired meanwhile, if nobody else has answered it
            return
        if recorded.refused:
            _log.error("run %s could not be launched: %s", folded.run.id, recorded.refused[0].why)
        else:
            self._runs.conduct(folded, hand_over)

    def _resume(self, resuming: Resuming, request: inbox.Request) -> tuple[Folded, HandOver, Batch]:
        reader = open_reader(self._places.record)  # this runs in a thread, beside whoever uses the other one
        try:
            return resuming.prepare(reader, request)
        finally:
            reader.close()

    async def _discard(self, request: inbox.Request) -> None:
        line = run_line(self._reader, str(request.body["run"]))
        if not line.restored or line.discarded or line.dropped:
            raise m.DoesNotApply(f"run {line.id} does not wait for anything: it was {line.outcome or 'not cut off'}")
        handled = Handled(request=request.id, answer={"run": line.id})
        await self._scribe.record([Batch(events=(e.RunDiscarded(run=line.id),), handled=handled)])


def _too_late(request: inbox.Request) -> bool:
    """Whether it may start or allow nothing any more (R22): it is old, or was put before the system was started.

    One from the future was put before the clock was set back, nobody knows how long ago.
    """
    if request.expires_at is None:
        return False
    in_time = request.at - inbox.EXPIRES_AFTER_MS <= now_ms() <= request.expires_at
    return not in_time or request.body.get("boot", this_boot()) != this_boot()


def _minutes(body: Mapping[str, Any]) -> float:
    try:
        minutes = float(body.get("minutes") or 0)
    except (TypeError, ValueError):
        minutes = math.nan
    if not 0 <= minutes <= _LONGEST_DRAIN:
        raise m.DoesNotApply("that is not a number of minutes")
    return minutes
