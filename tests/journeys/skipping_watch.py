"""The watch with a clock that skips: while the file `skip` is there, each look at it is four seconds later.

    python -m tests.journeys.skipping_watch FOLDER

Once the file `hole` is there, one look is an hour later than the one before, as after a machine that stood still.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from harness.lock import Lock
from harness.watch import Watch
from store.paths import Places

FOLDER = Path(sys.argv[1])


class Skipping:
    """Monotonic seconds, and what was skipped."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def __call__(self) -> float:
        if (FOLDER / "skip").exists():
            self._skipped += 4.0
        if (FOLDER / "hole").exists():
            self._skipped += 3_600.0
            (FOLDER / "hole").unlink()
        return time.monotonic() + self._skipped


if __name__ == "__main__":
    os.umask(0o077)
    places = Places.of_environment(os.environ)
    places.prepare()
    lock = Lock(places.watch_lock)
    assert lock.take()
    asyncio.run(Watch(places, lock=lock, read_clock=Skipping()).serve())
