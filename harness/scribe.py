"""The writer thread: the one connection that changes the record, off the event loop.

Everything that is waiting when a transaction begins goes into that one commit. When the record cannot be written
(no space, a read-only disk) nothing is lost and nobody is told a lie: what waits is kept and tried again, and the
reserve file beside the record is given up so that transitions fit before journals do.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from harness.own_thread import fulfil
from store.database import open_writer, unavailable
from store.errors import RecordUnavailable
from store.migrations import migrate
from store.record import Batch, Recorded, record
from store.vitals import forget_vitals

RESERVE_BYTES = 4 << 20
_RETRY_S = 1.0
_log = logging.getLogger("midwatch.scribe")

_Job = tuple[Sequence[Batch], Future[list[Recorded]]]
_Aside = Callable[[sqlite3.Connection], None]
_Result = TypeVar("_Result")


class Scribe:
    """Records batches durably, in the order in which they were given."""

    def __init__(self, path: Path, *, machine: str) -> None:
        self._path = path
        self._reserve = reserve_of(path)
        self._machine = machine
        self._jobs: queue.SimpleQueue[_Job | _Aside | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="scribe", daemon=True)
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._closing = threading.Event()
        self.trouble: str | None = None

    def start(self) -> None:
        """Opens and migrates the record; raises `StoreError` when that cannot be done."""
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed

    async def record(self, batches: Sequence[Batch]) -> list[Recorded]:
        """What became of each batch, once they are on the disk. Waits as long as there is no room for them.

        Raises `RecordUnavailable` when the record is damaged: nothing can be recorded any more.
        """
        promise: Future[list[Recorded]] = Future()
        self._jobs.put((batches, promise))
        return await asyncio.wrap_future(promise)

    async def apart(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """What `work` gives, done by the writer thread after what was given before; raises what it raises.

        For what is no event: rows on their way out, dead letters, eviction. `work` opens its own, short transactions.
        """
        promise: Future[_Result] = Future()
        self._jobs.put(lambda connection: fulfil(promise, lambda: work(connection)))
        return await asyncio.wrap_future(promise)

    def forget_vitals(self, run: str) -> None:
        """Shows nothing more of a run."""
        self._jobs.put(lambda connection: forget_vitals(connection, run))

    def close(self) -> None:
        """Writes what was given before, then closes the record. What there is no room for now is given up."""
        self._closing.set()
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            connection = self._open()
            if not self._reserve.exists():
                self._keep_reserve()
        except BaseException as error:
            self._failed = error
            return
        finally:
            self._ready.set()
        try:
            while self._serve(connection):
                pass
        finally:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._prepared()
        except RecordUnavailable:
            if not give_up_reserve(self._path):
                raise
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        connection = open_writer(self._path)
        try:
            migrate(connection, self._path, machine=self._machine)
        except BaseException:
            connection.close()
            raise
        return connection

    def _serve(self, connection: sqlite3.Connection) -> bool:
        """Whether to go on, after one round: everything that waits to be recorded in one commit, then the rest."""
        waiting = [self._jobs.get()]
        with suppress(queue.Empty):
            while True:
                waiting.append(self._jobs.get_nowait())
        jobs = [job for job in waiting if isinstance(job, tuple)]
        if jobs:
            self._write(connection, jobs)
        for job in waiting:
            if callable(job):
                with suppress(sqlite3.Error):
                    job(connection)
        return None not in waiting

    def _write(self, connection: sqlite3.Connection, jobs: list[_Job]) -> None:
        while True:
            try:
                recorded = record(connection, [batch for batches, _ in jobs for batch in batches])
            except sqlite3.OperationalError as error:
                if self._cannot_write(error):
                    continue
                _log.error("the watch leaves without having recorded its last events; the next one finds them out")
                return
            except sqlite3.Error as error:
                _log.critical("the record cannot be used any more: %s", error)
                for _, promise in jobs:
                    _break(promise, unavailable(self._path, error))
                return
            break
        if self.trouble is not None:
            _log.info("the record can be written again")
            self.trouble = None
        if not self._reserve.exists():  # given up here, or by somebody whose stop needed the room
            self._keep_reserve()
        start = 0
        for batches, promise in jobs:
            with suppress(InvalidStateError):  # nobody waits any more; it is recorded all the same
                promise.set_result(recorded[start : start + len(batches)])
            start += len(batches)

    def _cannot_write(self, error: sqlite3.OperationalError) -> bool:
        """Whether to try again, after a while or with the reserve given up."""
        if self.trouble is None:
            _log.error("the record cannot be written: %s; what happened is kept and tried again", error)
        self.trouble = str(error)
        if give_up_reserve(self._path):
            return True
        return not self._closing.wait(_RETRY_S)

    def _keep_reserve(self) -> None:
        """Makes the reserve where there is ample room for it: what was given up is for the ends of agents as well."""
        with suppress(OSError):
            free = os.statvfs(self._reserve.parent)
            if free.f_bavail * free.f_frsize >= 2 * RESERVE_BYTES:
                self._reserve.write_bytes(b"\0" * RESERVE_BYTES)


def reserve_of(record: Path) -> Path:
    """The file beside the record that is kept only to be given up."""
    return record.with_name("reserve")


def give_up_reserve(record: Path) -> bool:
    """Whether there was a reserve to give up, so that there may be room for what must be recorded now."""
    try:
        reserve_of(record).unlink()
    except OSError:
        return False
    return True


def _break(promise: Future[list[Recorded]], error: RecordUnavailable) -> None:
    with suppress(InvalidStateError):
        promise.set_exception(error)
