"""What the screen costs, and how fast it is, on a terminal of 120 columns and 36 rows.

    python -m bench.screen [--agents 200] [--seconds 10] [--rounds 7]

  start   from its start to the first useful paint (the runs are listed) against a whole `python -c "import sqlite3"`,
          and to the live screen (its keys are shown) against a Textual app that shows one word
  quiet   bytes a second to the terminal with nothing live and with two live runs whose agents say nothing; CPU and
          memory of the screen with ten such agents
  keys    milliseconds from a key that moves the cursor among the agents to the chunk that shows it there, with all of
          them silent, then with each printing twenty lines a second
  loud    bytes a second, CPU and memory meanwhile

CPU is of the screen's process alone, in percent of a core. Lists are [min, median, max] over the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.home import Home, home
from bench.record import spread
from bench.supervise import LINES_A_SECOND, agent
from bench.terminal import Terminal

SETTLE_S = 4.0
PRESSES = 100
BETWEEN_S = 0.06
SCREEN = (sys.executable, "-m", "tui")
EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""
SILENT, FOR_LONG = ("1", "1"), ("1000000", str(1_000_000_000 // LINES_A_SECOND))
DOWN, UP, TAB = "\x1b[B", "\x1b[A", "\t"
TARGETS = {
    "live_to_textual": 1.7,
    "key_p99_ms": 10,
    "key_p99_ms_loud": 20,
    "bytes_s_two_live_runs": 200,
    "bytes_s_loud": 15_000,
    "cpu_percent_ten_agents": 0.5,
    "cpu_percent_loud": 6,
    "resident_mib": 60,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.screen", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]
    parts = {"start": _start, "quiet": _quiet, "keys_and_loud": _keys_and_loud}
    parser.add_argument("parts", metavar="PART", nargs="*", choices=[[], *parts], help=", ".join(parts))
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each stretch that is watched")
    parser.add_argument("--rounds", type=int, default=7, help="starts")
    parser.add_argument("--tmp", type=Path, help="where homes are made")
    chosen = parser.parse_args(arguments)
    found: dict[str, Any] = {"targets": TARGETS}
    with tempfile.TemporaryDirectory(dir=chosen.tmp) as folder:
        for name in chosen.parts or parts:
            found[name] = parts[name](chosen, Path(folder) / name)
    print(json.dumps(found, indent=1))
    return 0


def _start(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    times: dict[str, list[float]] = {}
    with home(folder) as one:
        one.launch("ended", 1, [sys.executable, "-c", ""])
        app = folder / "app.py"
        app.write_text(EMPTY_APP)
        for number in range(chosen.rounds + 1):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", "import sqlite3"], env=one.environment, check=True)
            found = {"sqlite3": (time.perf_counter() - begun) * 1000}
            found |= _times_to(one, [sys.executable, str(app)], {"textual": "ready"})
            found |= _times_to(one, SCREEN, {"useful": "ended", "live": "quit"})
            if number:  # the first round fills caches
                for name, took in found.items():
                    times.setdefault(name, []).append(took)

    def ratio(name: str, other: str) -> list[float]:
        return spread([mine / its for mine, its in zip(times[name], times[other], strict=True)])

    return {
        "ms": {name: spread(found) for name, found in times.items()},
        "useful_to_sqlite3": ratio("useful", "sqlite3"),
        "live_to_textual": ratio("live", "textual"),
    }


def _times_to(one: Home, argv: Sequence[str], words: dict[str, str]) -> dict[str, float]:
    terminal = Terminal(argv, one.environment, one.folder)
    try:
        return {name: (terminal.wait_for(text) - terminal.began) * 1000 for name, text in words.items()}
    finally:
        terminal.close()


def _quiet(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    found = {}
    with home(folder) as one:
        one.launch("ended", 1, [sys.executable, "-c", ""])
        with _screen(one) as screen:
            found["nothing live"] = _watched(screen, chosen.seconds)
        silent = [*agent(folder), *SILENT]
        for name in ("first", "second"):
            one.all_run(one.launch(name, 1, silent), 1)
        with _screen(one) as screen:
            found["two live runs"] = _watched(screen, chosen.seconds)
        one.all_run(one.launch("ten", 10, silent), 10)
        with _screen(one) as screen:
            found["a run of ten agents more"] = _watched(screen, chosen.seconds)
    return found


def _keys_and_loud(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"agents": chosen.agents}
    for name, words in (("silent", SILENT), ("loud", FOR_LONG)):
        with home(folder / name) as one:
            one.all_run(one.launch(name, chosen.agents, [*agent(one.folder), *words]), chosen.agents)
            with _screen(one) as screen:
                watched = _watched(screen, chosen.seconds)
                found[name] = {**watched, "keys": _keys(screen, chosen.agents)}
    return found


@contextmanager
def _screen(one: Home) -> Iterator[Terminal]:
    """The screen, painted and at rest."""
    screen = Terminal(SCREEN, one.environment, one.folder)
    try:
        screen.wait_for("quit")
        screen.rest(SETTLE_S)
        yield screen
    finally:
        screen.close()


def _watched(screen: Terminal, seconds: float) -> dict[str, float]:
    written, used, begun = screen.bytes, screen.cpu(), time.perf_counter()
    screen.rest(seconds)
    took = time.perf_counter() - begun
    return {
        "bytes_s": round((screen.bytes - written) / took, 1),
        "cpu_percent": round(100 * (screen.cpu() - used) / took, 2),
        "resident_mib": round(screen.resident(), 1),
    }


def _keys(screen: Terminal, agents: int) -> dict[str, float]:
    """The cursor goes between the first two agents of the run."""
    for _ in range(2):
        screen.press(TAB)
        screen.rest(1.0)
    took = []
    for number in range(PRESSES + 1):
        key, row = (UP, 1) if number % 2 else (DOWN, 2)
        pressed = screen.press(key)
        at = screen.wait_for(f"{row} of {agents}", seconds=5.0)
        if number:  # the first shows that the cursor is where it should be
            took.append((at - pressed) * 1000)
        screen.rest(BETWEEN_S)
    found = sorted(took)
    return {
        "p50_ms": round(statistics.median(found), 2),
        "p99_ms": round(found[min(len(found) - 1, int(len(found) * 0.99))], 2),
        "max_ms": round(found[-1], 2),
    }


if __name__ == "__main__":
    sys.exit(main())
