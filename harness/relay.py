"""Ships committed events to whoever outside is to be told, in the background of the watch (E4).

What was committed is handed out to the consumers that the settings name; each has a delivery of its own, so that none
waits for another. Nothing of it holds up a run, and what was not shipped goes on at the next start.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress

from harness.consumers.consumer import Consumer
from harness.delivery import Delivery
from harness.errors import HarnessError
from harness.masking import secret_values
from harness.scribe import Scribe
from harness.settings import Settings, load_settings
from store import outbox
from store.database import data_version, open_reader
from store.errors import StoreError
from store.ids import new_id, now_ms
from store.paths import Places

LOOK_S = 0.25
HANDED_OUT_AT_ONCE = 1_000
LEAVES_WITHIN_S = 1.0
_log = logging.getLogger("midwatch.relay")

_Stamp = tuple[int, int, int] | None


def consumers_of(places: Places, settings: Settings) -> list[Consumer]:
    """Those whom the settings name."""
    found: list[Consumer] = []
    if settings.notices.command:
        from harness.consumers.notice_command import NoticeCommand

        found.append(NoticeCommand(argv=settings.notices.command))
    if settings.notices.webhook is not None:
        from harness.consumers.webhook import Webhook

        found.append(Webhook(address=settings.notices.webhook, secret=places.settings.with_name("webhook.secret")))
    return found


def secrets_of(settings: Settings) -> frozenset[str]:
    """What is masked in messages: secrets of this process's environment and of those that the settings give to CLIs."""
    found = secret_values(os.environ)
    return found.union(*(secret_values(cli.env) for cli in settings.cli.values()))


class Relay:
    """One per watch. Right with several at once too: a lease keeps each row to one of them."""

    def __init__(self, places: Places, scribe: Scribe) -> None:
        self._places = places
        self._scribe = scribe
        self._owner = new_id()
        self._stamp: _Stamp = None
        self._consumers: Sequence[Consumer] | None = None
        self._deliveries: dict[asyncio.Task[None], Delivery] = {}
        self._secrets: frozenset[str] = frozenset()
        self._running: asyncio.Task[None] | None = None
        self._trouble = ""

    @property
    def owes(self) -> bool:
        """Whether a consumer is still owed something; it ends, since tries are counted."""
        return any(delivery.owes for delivery in self._deliveries.values())

    async def run(self) -> None:
        """Ships until it is closed. The record must have been prepared."""
        self._running = asyncio.current_task()
        reader = open_reader(self._places.record)
        try:
            await self._attend(reader)
        finally:
            await self._end(list(self._deliveries))
            reader.close()

    async def close(self) -> None:
        """Returns within a second or two: what is on its way is broken off and given back, to be shipped later."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running}, timeout=2 * LEAVES_WITHIN_S)

    async def _attend(self, reader: sqlite3.Connection) -> None:
        seen = -1
        while True:
            version = data_version(reader)
            if version != seen:
                seen = version
                try:
                    await self._look(reader)
                    self._trouble = ""
                except (sqlite3.Error, StoreError) as problem:
                    seen = -1
                    if str(problem) != self._trouble:
                        self._trouble = str(problem)
                        _log.error("events cannot be handed out: %s; it is tried again", problem)
            await asyncio.sleep(LOOK_S)

    async def _look(self, reader: sqlite3.Connection) -> None:
        changed = await self._take_up_settings(reader)
        if self._consumers is None:
            return
        if changed or outbox.waits_to_be_handed_out(reader):
            wanting = {one.name: one.types for one in self._consumers}
            await self._scribe.apart(
                lambda record: outbox.hand_out(record, wanting, limit=HANDED_OUT_AT_ONCE, now=now_ms())
            )
        for delivery in self._deliveries.values():
            delivery.wake()

    async def _take_up_settings(self, reader: sqlite3.Connection) -> bool:
        """Whether they were read anew. While the file cannot be read, those there are stay as they are."""
        stamp = await asyncio.to_thread(self._stamp_of_settings)
        if stamp == self._stamp and self._consumers is not None:
            return False
        try:
            settings = await asyncio.to_thread(load_settings, self._places.settings)
        except HarnessError as problem:
            if stamp != self._stamp:
                _log.error("notices stay as they were: %s", problem)
            self._stamp = stamp
            return False
        self._stamp = stamp
        self._secrets = secrets_of(settings)
        await self._take_up(consumers_of(self._places, settings), reader)
        return True

    def _stamp_of_settings(self) -> _Stamp:
        with suppress(OSError):
            found = self._places.settings.stat()
            return found.st_ino, found.st_size, found.st_mtime_ns
        return None

    async def _take_up(self, consumers: Sequence[Consumer], reader: sqlite3.Connection) -> None:
        await self._end([task for task, one in self._deliveries.items() if one.consumer not in consumers])
        at_work = [one.consumer for one in self._deliveries.values()]
        for consumer in consumers:
            if consumer not in at_work:
                delivery = Delivery(
                    consumer,
                    scribe=self._scribe,
                    reader=reader,
                    owner=self._owner,
                    secrets=lambda: self._secrets,
                )
                self._deliveries[asyncio.ensure_future(delivery.run())] = delivery
        self._consumers = consumers

    async def _end(self, tasks: Collection[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LEAVES_WITHIN_S)
        for task in tasks:
            del self._deliveries[task]
