"""What one consumer is owed, shipped to it: leased, taken or not, tried again later, given up at last (E4, E7)."""

from __future__ import annotations

import asyncio
import logging
import random
import sqlite3
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from harness.consumers.consumer import Consumer, NotTaken
from harness.consumers.message import message_of
from harness.masking import mask
from harness.scribe import Scribe
from store import outbox
from store.ids import now_ms
from store.outbox import MOST_TRIES, Leased

BATCH = 8
LEASE_S = 60.0  # as long as a crashed watch keeps the next one from what it was shipping
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 600.0
AFTER_TROUBLE_S = 5.0
_log = logging.getLogger("midwatch.relay")


def wait_before_next(tries: int, *, after: float = 0.0) -> float:
    """Seconds to wait after that many tries: four times as long each time, with jitter, and `after` at least.

    Eight tries take between a quarter of an hour and half of one.
    """
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 4.0 ** (tries - 1))
    return max(after, random.uniform(longest / 2, longest))


class Delivery:
    """Ships to one consumer, one message at a time. `run` is a task; cancelled, it gives back what it holds."""

    def __init__(
        self,
        consumer: Consumer,
        *,
        scribe: Scribe,
        reader: sqlite3.Connection,
        owner: str,
        secrets: Callable[[], Collection[str]],
    ) -> None:
        self.consumer = consumer
        self._scribe = scribe
        self._reader = reader
        self._owner = owner
        self._secrets = secrets
        self._news = asyncio.Event()

    @property
    def owes(self) -> bool:
        """Whether there is something to ship, now or after a wait."""
        return outbox.next_due(self._reader, self.consumer.name) is not None

    def wake(self) -> None:
        """There may be something new."""
        self._news.set()

    async def run(self) -> None:
        """Ships for ever."""
        while True:
            try:
                self._news.clear()
                due = outbox.next_due(self._reader, self.consumer.name)
                if due is None or due > now_ms():
                    await self._wait(None if due is None else (due - now_ms()) / 1000)
                elif not await self._ship_some():
                    await self._wait(AFTER_TROUBLE_S)
            except sqlite3.Error as problem:
                _log.error("what the %s is owed cannot be read or noted: %s", self.consumer.name, problem)
                await asyncio.sleep(AFTER_TROUBLE_S)

    async def _wait(self, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def _ship_some(self) -> bool:
        """Whether anything was leased; what the lease is too short for is given back."""
        name, ends = self.consumer.name, time.monotonic() + LEASE_S
        leased = await self._scribe.apart(
            lambda record: outbox.lease(record, name, self._owner, limit=BATCH, seconds=LEASE_S, now=now_ms())
        )
        held = [one.event.seq for one in leased]
        try:
            for one in leased:
                if ends - time.monotonic() < self.consumer.timeout + 1:
                    break
                await self._ship(one)
                held.remove(one.event.seq)
        finally:
            if held:
                await self._scribe.apart(lambda record: outbox.release(record, name, self._owner, held))
        return bool(leased)

    async def _ship(self, leased: Leased) -> None:
        name, seq = self.consumer.name, leased.event.seq
        try:
            async with asyncio.timeout(self.consumer.timeout):
                await self.consumer.take(message_of(leased, self._secrets()))
        except TimeoutError:
            await self._failed(leased, f"it had not taken it within {self.consumer.timeout:g} s", 0.0)
        except NotTaken as problem:
            await self._failed(leased, str(problem), problem.after)
        except Exception as problem:
            _log.exception("a fault in midwatch itself while it told the %s of event %s", name, leased.event.id)
            await self._failed(leased, f"a fault in midwatch itself: {type(problem).__name__}: {problem}", 0.0)
        else:
            await self._scribe.apart(lambda record: outbox.ship(record, name, self._owner, [seq]))

    async def _failed(self, leased: Leased, why: str, after: float) -> None:
        name, seq, moment = self.consumer.name, leased.event.seq, now_ms()
        why = mask(why, self._secrets())
        again_at = moment + int(1000 * wait_before_next(leased.tries, after=after))
        given_up = await self._scribe.apart(
            lambda record: outbox.fail(record, name, self._owner, seq, why, now=moment, again_at=again_at)
        )
        if given_up:
            _log.error("the %s never took event %s; `midwatch letters` has it: %s", name, leased.event.id, why)
        else:
            tried = f"{leased.tries} of {MOST_TRIES}"
            _log.warning("the %s did not take event %s (try %s): %s", name, leased.event.id, tried, why)
