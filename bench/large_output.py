"""The memory of the watch while one agent prints a large output with one very long line.

A real watch, launched as a person launches it, runs one report agent that prints 27 MB of report lines, one of them of
3 MB. Printed: the watch's peak (VmHWM) before and after, in MiB, and whether every byte is in the journal. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.lock import holder
from store.paths import Places

AGENT = """
import sys
line = '{"report":"text","text":"%s"}\\n'
write = sys.stdout.write
for number in range(24_000):
    write(line % ("x" * 960))
write(line % ("y" * 3_000_000))
write(line % "the end")
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.large_output", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tmp", type=Path, help="a folder for the record and the journal")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=chosen.tmp) as name:
        print(json.dumps(_measure(Path(name)), indent=1))
    return 0


def _measure(folder: Path) -> dict[str, Any]:
    environment = {**os.environ, "MIDWATCH_HOME": str(folder)}
    places = Places.of_environment(environment)
    (folder / "agent.py").write_text(AGENT)
    (folder / "idle.toml").write_text(_workflow([sys.executable, "-c", "print(1)"]))
    (folder / "large.toml").write_text(_workflow([sys.executable, str(folder / "agent.py")]))
    _run(folder, environment, "idle.toml")
    watch = holder(places.watch_lock)
    assert watch is not None and watch.pid is not None
    before = _peak(watch.pid)
    started = time.monotonic()
    _run(folder, environment, "large.toml")
    seconds = time.monotonic() - started
    after = _peak(watch.pid)
    journal = next(path for path in places.journals.rglob("a.1.out") if path.stat().st_size > 1_000_000)
    os.kill(watch.pid, signal.SIGTERM)
    return {
        "watch_peak_mib_before": round(before / 1024, 1),
        "watch_peak_mib_after": round(after / 1024, 1),
        "target_mib": 100,
        "journal_bytes": journal.stat().st_size,
        "seconds": round(seconds, 2),
    }


def _workflow(run: list[str]) -> str:
    return (
        '[[waves]]\nname = "w"\n[[waves.agents]]\nname = "a"\nrole = "developer"\ncli = "command"\n'
        f'output = "reports"\nprompt = "go"\nrun = {json.dumps(run)}\n'
    )


def _run(folder: Path, environment: dict[str, str], workflow: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "tui", "run", str(folder / workflow)],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise LookupError("no VmHWM")


if __name__ == "__main__":
    sys.exit(main())
