"""The watch with a fault: `python -m tests.crash.faulty_watch WHOSE NUMBER LOG`.

WHOSE is `watch`, which then kills itself at its NUMBER-th point (see `faults`; 0: at none), or `keepers`, each of which
does. LOG gets a line for each point that was passed.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

from harness import __main__, zygote
from tests.crash.faults import Faults

_IN_A_MIGRATION = ("CREATE", "ALTER", "DROP", "INSERT INTO meta", "PRAGMA user_version=")
WHOSE, NUMBER, LOG = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def _faulty_keepers() -> None:
    os.environ["FAULT_NUMBER"], os.environ["FAULT_LOG"] = str(NUMBER), LOG
    zygote._SCRIPT = Path(__file__).with_name("faulty_keeper.py")


def _faulty_watch() -> None:
    faults = Faults(NUMBER, os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    connect = sqlite3.connect

    class Connection(sqlite3.Connection):
        changes = 0

        def __init__(self, *given: Any, **how: Any) -> None:
            super().__init__(*given, **how)
            self.set_trace_callback(lambda sql: faults.pass_by("migrate") if sql.startswith(_IN_A_MIGRATION) else None)

        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            if sql != "COMMIT" or self.total_changes == self.changes:
                return super().execute(sql, *given)
            self.changes = self.total_changes
            done: sqlite3.Cursor = faults.around("commit", super().execute)(sql, *given)
            return done

    sqlite3.connect = lambda *given, **how: connect(*given, **how, factory=Connection)  # type: ignore[assignment]
    faults.arm()


if __name__ == "__main__":
    (_faulty_watch if WHOSE == "watch" else _faulty_keepers)()
    sys.exit(__main__.main())
