"""The sweeper: writes each running delegation's heartbeat and deadline, and finds the stuck ones by query (E9).

It asks the record, never the agents (E8). What it finds it only tells: whoever conducts the run ends it.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3

from harness.live_runs import LiveRuns
from harness.scribe import Scribe
from store.stuck import Overdue, overdue
from store.vitals import write_vitals

_log = logging.getLogger("midwatch.sweeper")


class Sweeper:
    """One per watch, on its event loop."""

    def __init__(self, runs: LiveRuns, scribe: Scribe) -> None:
        self._runs = runs
        self._scribe = scribe
        self._pass: asyncio.Future[None] | None = None
        self._trouble = ""

    def look(self) -> None:
        """Begins a pass, unless one is going on."""
        if self._runs and (self._pass is None or self._pass.done()):
            self._pass = asyncio.ensure_future(self._sweep())

    def close(self) -> None:
        """Begins nothing more."""
        if self._pass is not None:
            self._pass.cancel()

    async def _sweep(self) -> None:
        try:
            rows = self._runs.vitals()
        except OSError as problem:  # no file can be opened just now
            if self._trouble != str(problem):
                self._trouble = str(problem)
                _log.error("a look at what is at work failed: %s", problem)
            return

        def look(record: sqlite3.Connection) -> list[Overdue]:
            write_vitals(record, rows)
            return overdue(record, rows[0].at) if rows else []

        try:
            found = await self._scribe.apart(look)
        except sqlite3.Error:  # heartbeats that cannot be written say nothing about who is stuck
            return
        for one in found:
            self._runs.stuck(one.run, one.agent)
