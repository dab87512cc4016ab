"""The watch, which kills itself at a chosen point: `before N` or `after N` its N-th commit, or never (`count`).

With `count` it writes the number of commits to the file named by the third argument when it leaves.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from harness import __main__, scribe
from store.record import Batch, Recorded, record

WHEN, NUMBER, FILE = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
_commits = 0


def _record(connection: sqlite3.Connection, batches: Sequence[Batch]) -> list[Recorded]:
    global _commits
    _commits += 1
    if WHEN == "before" and _commits == NUMBER:
        os.kill(os.getpid(), signal.SIGKILL)
    recorded = record(connection, batches)
    if WHEN == "after" and _commits == NUMBER:
        os.kill(os.getpid(), signal.SIGKILL)
    if WHEN == "count":
        FILE.write_text(str(_commits))
    return recorded


if __name__ == "__main__":
    scribe.record = _record  # type: ignore[attr-defined]  # the one place where the watch commits
    sys.exit(__main__.main())
