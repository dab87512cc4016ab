"""The watch as a program: `python -m harness`, started by whoever needs it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time

from harness.lock import Lock
from harness.requests import CANNOT_BEGIN
from store.errors import StoreError
from store.paths import Places

LOCK_WAIT_S = 2.0


def main(*, stays: bool = False) -> int:
    """Runs the watch until it leaves. 0: it did its work, or another watch is there; 7: it could not begin.

    `stays`: do not leave when idle, as a person asks with `watch --foreground`.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.umask(0o077)
    for name in [name for name in os.environ if name.startswith("MIDWATCH_") and name != "MIDWATCH_HOME"]:
        del os.environ[name]
    try:
        places = Places.of_environment(os.environ)
        places.prepare()
        lock = Lock(places.watch_lock)
        if not _taken(lock):
            return 0
        from harness.watch import Watch

        asyncio.run(Watch(places, lock=lock, stays=stays).serve())
    except (StoreError, OSError) as error:
        print(f"midwatch: {error}", file=sys.stderr)
        return CANNOT_BEGIN
    return 0


def _taken(lock: Lock) -> bool:
    """Whether the lock is ours; a watch that is just leaving gives it up within moments."""
    deadline = time.monotonic() + LOCK_WAIT_S
    while not lock.take():
        if lock.described().get("ready") or time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


if __name__ == "__main__":
    sys.exit(main())
