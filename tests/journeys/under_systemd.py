"""midwatch as it would run under systemd, whose programs are stand-ins on PATH: `… under_systemd FOLDER WORDS…`.

In FOLDER: `systemd/` stands for `/run/systemd/system`, `proc/` for `/proc` as far as control groups are read.
"""

from __future__ import annotations

import sys
from pathlib import Path

from harness import logout
from tui.__main__ import main

FOLDER = Path(sys.argv[1])


class AnyProcess(type(Path())):  # type: ignore[misc]
    """A `/proc` in which every process lies in the same control group."""

    def __truediv__(self, name: str) -> Path:
        return FOLDER / "proc"


if __name__ == "__main__":
    logout._SYSTEMD = FOLDER / "systemd"
    logout._LINGER = FOLDER / "linger"
    logout._PROC = AnyProcess("/proc")
    sys.exit(main(sys.argv[2:]))
