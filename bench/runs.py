"""How long `midwatch runs` takes on a record that has seen much, next to the least that such a command can take.

    python -m bench.runs [--tmp FOLDER]

It prepares two homes in FOLDER and keeps them for the next time: `full`, with 10,000 finished runs and 2,000,000
events, and `empty`, with a record that has none. Then whole processes are timed, in turn:

  floor     python -c "import sqlite3, argparse"
  empty     midwatch runs, on the empty record
  full      midwatch runs, on the full one
  json      midwatch runs --json, on the full one

Lists are [min, median, max] over the rounds, in milliseconds; a ratio is taken round by round.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.filled import EVENTS_OF_RUN, fill
from bench.record import spread
from store.database import open_reader, open_writer
from store.errors import StoreError
from store.migrations import migrate
from store.paths import Places

ROOT = Path(__file__).parents[1]
KEPT = Path(tempfile.gettempdir()) / "midwatch-bench"
MIDWATCH_RUNS = ("-m", "tui", "runs")


def prepared(home: Path, *, runs: int, events: int) -> Places:
    """The places of a home whose record has as many runs and events as asked for; made if it is not there yet."""
    places = Places.of_environment({"MIDWATCH_HOME": str(home)})
    places.prepare()
    fresh = places.state / "fresh.db"
    _make(fresh, places.machine)
    schema, _ = _held(fresh) or (None, None)
    if _held(places.record) != (schema, (runs, events)):
        _make(places.record, places.machine)
        with closing(open_writer(places.record)) as connection:
            fill(connection, runs=runs, events_of_run=events // max(runs, 1))
    return places


def _make(record: Path, machine: str) -> None:
    for leftover in record.parent.glob(f"{record.name}*"):
        leftover.unlink()
    with closing(open_writer(record)) as connection:
        migrate(connection, record, machine=machine)


def _held(record: Path) -> tuple[str, tuple[int, int]] | None:
    """The schema of a record, and how many runs and events are in it; `None` when it cannot be read."""
    try:
        with closing(open_reader(record)) as reader:
            schema = "".join(sql for (sql,) in reader.execute("SELECT sql FROM sqlite_schema ORDER BY name") if sql)
            counts = reader.execute("SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM events)").fetchone()
            return schema, counts
    except (StoreError, sqlite3.Error):
        return None


def milliseconds(arguments: Sequence[str], home: Path) -> float:
    """The time of one whole process, from its start until it has ended."""
    environment = {**os.environ, "MIDWATCH_HOME": str(home)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return (time.perf_counter() - begun) * 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepares, measures and prints one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.runs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tmp", type=Path, default=KEPT, help="where the two homes are kept")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=10_000 * EVENTS_OF_RUN)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--prepare", action="store_true", help="only prepare the homes")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    full = prepared(chosen.tmp / "full", runs=chosen.runs, events=chosen.events)
    empty = prepared(chosen.tmp / "empty", runs=0, events=0)
    found: dict[str, object] = {
        "runs": chosen.runs,
        "events": chosen.events,
        "record_mib": round(full.record.stat().st_size / (1 << 20), 1),
        "prepared_in_s": round(time.perf_counter() - begun, 1),
        "homes": {"full": str(full.home), "empty": str(empty.home)},
    }
    if not chosen.prepare:
        found |= timed(full, empty, rounds=chosen.rounds)
    print(json.dumps(found, indent=1))
    return 0


def timed(full: Places, empty: Places, *, rounds: int) -> dict[str, object]:
    """Times of the four commands over alternating rounds, and what `midwatch runs` costs over the floor."""
    commands: dict[str, tuple[tuple[str, ...], Places]] = {
        "floor": (("-c", "import sqlite3, argparse"), empty),
        "empty": (MIDWATCH_RUNS, empty),
        "full": (MIDWATCH_RUNS, full),
        "json": ((*MIDWATCH_RUNS, "--json"), full),
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, (arguments, places) in commands.items():
            took = milliseconds(arguments, places.home or places.state)
            if number:  # the first round fills caches
                times[name].append(took)

    def ratio(one: str, other: str) -> list[float]:
        return spread([mine / its for mine, its in zip(times[one], times[other], strict=True)])

    return {
        "rounds": rounds,
        "ms": {name: spread(found) for name, found in times.items()},
        "full_to_floor": ratio("full", "floor"),
        "full_to_empty": ratio("full", "empty"),
        "empty_to_floor": ratio("empty", "floor"),
    }


if __name__ == "__main__":
    sys.exit(main())
