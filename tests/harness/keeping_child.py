"""A process that brings a record within its bounds and kills itself on the way, before its N-th step (0: never).

python keeping_child.py HOME N    prints how many steps there were when it came to the end

A step is a statement of the one connection that changes the record, or a file or folder that is deleted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from pathlib import Path

from harness import scribe
from harness.keeping import Keeping
from store.database import open_writer
from store.paths import Places

HOME, NUMBER = sys.argv[1], int(sys.argv[2])
_steps = 0


def _step(_: object = None) -> None:
    global _steps
    _steps += 1
    if _steps == NUMBER:
        os.kill(os.getpid(), signal.SIGKILL)


def _deleted(name: str, _: object) -> None:
    if name in ("os.remove", "os.rmdir"):
        _step()


def _opened(path: Path) -> sqlite3.Connection:
    connection = open_writer(path)
    connection.set_trace_callback(_step)
    return connection


async def _keep() -> None:
    places = Places.of_environment({"MIDWATCH_HOME": HOME})
    scribe.open_writer = _opened  # type: ignore[attr-defined]  # where it takes its connection from
    writing = scribe.Scribe(places.record, machine="this-machine")
    writing.start()
    sys.addaudithook(_deleted)
    await Keeping(places, writing).keep()
    writing.close()


if __name__ == "__main__":
    asyncio.run(_keep())
    print(_steps)
