"""Keeps the record within its bounds, in the background of the watch: at its start, and when a run has ended (R5, R6).

A pass is short and off the event loop: it measures a few runs, lets a few leave, and comes back for the rest.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from contextlib import suppress
from pathlib import Path

from harness.errors import HarnessError
from harness.own_thread import in_own_thread
from harness.scribe import Scribe
from harness.settings import load_settings
from store import eviction, retention
from store.paths import Places
from store.retention import Bounds, Dropped

BATCH = 20
SETTLE_S = 2.0  # for what a run's end leads to: its last events are shipped meanwhile
LOOK_AGAIN_S = 60.0
_log = logging.getLogger("midwatch.keeping")


class Keeping:
    """One per watch; twice or cut off in the middle it comes to the same."""

    def __init__(self, places: Places, scribe: Scribe) -> None:
        self._places = places
        self._scribe = scribe
        self._wanted = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def look(self) -> None:
        """A run has ended."""
        self._wanted.set()

    async def run(self) -> None:
        """Keeps the record within its bounds until it is closed. The record must have been prepared."""
        self._running = asyncio.current_task()
        while True:
            self._wanted.clear()
            try:
                held = await self.keep()
            except HarnessError as problem:
                _log.error("nothing is evicted: %s", problem)
                held = False
            except Exception:
                _log.exception("the record could not be brought within its bounds; it is tried again")
                held = True
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S if held else None):
                    await self._wanted.wait()
            await asyncio.sleep(SETTLE_S)

    async def close(self) -> None:
        """Returns at once; a folder that is being deleted is finished at the next start."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running}, timeout=1.0)

    async def keep(self) -> bool:
        """Brings the record within its bounds; whether something has to stay for now that may leave soon.

        Raises `HarnessError` when the settings cannot be read: bounds that nobody set evict nothing.
        """
        bounds = await asyncio.to_thread(self._bounds)
        for run in await self._scribe.apart(eviction.half_gone):
            await self._delete(run)
        while await self._measure_some():
            pass
        while await self._evict_some(bounds):
            pass
        kept = await self._scribe.apart(retention.kept_runs)
        return any(one.held and one.ended is not None for one in kept)

    def _bounds(self) -> Bounds:
        found = load_settings(self._places.settings).retention
        return Bounds(runs=found.runs, bytes=found.bytes, record=found.record)

    async def _measure_some(self) -> bool:
        runs = await self._scribe.apart(lambda record: retention.unmeasured(record, limit=BATCH))
        folders = [self._places.journals_of(run) for run in runs]
        sizes = await in_own_thread(lambda: [bytes_of(folder) for folder in folders], name="keeping")
        if runs:
            found = dict(zip(runs, sizes, strict=True))
            await self._scribe.apart(lambda record: retention.measure(record, found))
        return bool(runs)

    async def _evict_some(self, bounds: Bounds) -> bool:
        """Whether anything left, so that there may be more."""
        kept = await self._scribe.apart(retention.kept_runs)
        left = 0
        for run, why in retention.leaving(kept, bounds)[:BATCH]:
            left += await self._evict(run, why)
        return left > 0

    async def _evict(self, run: str, why: Dropped) -> bool:
        if not await self._scribe.apart(lambda record: eviction.evict(record, run, why)):
            return False
        _log.info("the detail of run %s has left the record: %s", run, why)
        await self._delete(run)
        return True

    async def _delete(self, run: str) -> None:
        folder = self._places.journals_of(run)
        try:
            await in_own_thread(lambda: delete_folder(folder), name="keeping")
        except OSError as problem:
            _log.warning("the journals of run %s cannot be deleted: %s; tried again at the next start", run, problem)
            return
        await self._scribe.apart(lambda record: eviction.gone(record, run))


def bytes_of(folder: Path) -> int:
    """The bytes of the files in `folder` and below; 0 when it is not there. Follows no links."""
    found = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118  # many files
    return found


def delete_folder(folder: Path) -> None:
    """Deletes `folder` and what is in it, following no links; nothing to do when it is not there. Raises `OSError`."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
