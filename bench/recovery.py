"""How long a crash takes to get over.

    python -m bench.recovery [--tmp FOLDER] [PART…]

  paint   from the start of `midwatch` to the first full paint of the recovery screen: 10,000 runs and 2,000,000 events
          in the record (prepared as `bench.runs` does, and kept in FOLDER) against a record that holds nothing else,
          both with the same three runs cut off; `settled` before by an earlier watch, or `unsettled`, so that the
          screen starts the watch and the watch settles them
  settle  the watch is killed while 1 and 200 agents are at work, and `midwatch recover` starts another at once: seconds
          from the kill until no agent is left, and from that start until all is recorded and told
  reread  an agent's journal read again, with all that comes of it, against one pass of `json.loads` over its lines

Lists are [min, median, max] over the rounds; a ratio is taken round by round.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.filled import EVENTS_OF_RUN, cut_off
from bench.home import Home, home, until
from bench.record import spread
from bench.runs import KEPT, prepared
from bench.supervise import agent
from bench.terminal import Terminal
from harness.agents import adapter
from harness.ledger import Ledger
from harness.reading import AttemptReading
from harness.rereading import lines_of
from store import events as e
from store.database import open_writer
from store.record import Batch, record
from store.recovery import runs_with_something_left
from store.retention import measure, unmeasured

CUT_OFF = 3
FULL_PAINT = ("3 runs were cut off", "later")  # its first words, and the last of its keys
RETENTION = '[retention]\nruns = 1000000\nbytes = "1000GiB"\n'


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.recovery", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]]
    parts = {"paint": _paint, "settle": _settle, "reread": _reread}
    parser.add_argument("parts", metavar="PART", nargs="*", choices=[[], *parts], help=", ".join(parts))
    parser.add_argument("--tmp", type=Path, default=KEPT, help="where the prepared record is kept")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=10_000 * EVENTS_OF_RUN)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--mib", type=int, default=64, help="of the journal that is read again")
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args(arguments)
    chosen.tmp.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=chosen.tmp) as folder:
        print(json.dumps({name: parts[name](chosen, Path(folder)) for name in chosen.parts or parts}, indent=1))
    return 0


# The recovery screen.


def _paint(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    kept = prepared(chosen.tmp / "full", runs=chosen.runs, events=chosen.events)
    nothing = prepared(chosen.tmp / "empty", runs=0, events=0)
    with home(folder / "full") as full, home(folder / "empty") as empty:
        for one, of in ((full, kept), (empty, nothing)):
            one.places.prepare()
            shutil.copy(of.record, one.places.record)
            one.places.settings.write_text(RETENTION)
            _as_after_a_watch(one)
        times: dict[str, list[float]] = {}
        for number in range(chosen.rounds + 1):
            for name, one in (("full", full), ("empty", empty)):
                _cut_off_anew(one)
                for when in ("unsettled", "settled"):
                    took = _until_painted(one)
                    if number:  # the first round fills caches
                        times.setdefault(f"{when} {name}", []).append(took)

    def ratio(when: str) -> list[float]:
        pairs = zip(times[f"{when} full"], times[f"{when} empty"], strict=True)
        return spread([one / other for one, other in pairs])

    return {
        "ms": {name: spread(found) for name, found in times.items()},
        "settled_full_to_empty": ratio("settled"),
        "unsettled_full_to_empty": ratio("unsettled"),
        "target": 1.3,
    }


def _as_after_a_watch(one: Home) -> None:
    """What a watch would have done while those runs ran: told nobody of their events, and taken their sizes."""
    with closing(open_writer(one.places.record)) as connection:
        connection.execute("DELETE FROM outbox")
        while found := unmeasured(connection, limit=1000):
            measure(connection, dict.fromkeys(found, 0))


def _cut_off_anew(one: Home) -> None:
    one.end_watch()
    with closing(open_writer(one.places.record)) as connection:
        old = [e.RunDiscarded(run=run) for run in runs_with_something_left(connection)]
        record(connection, [Batch(events=old)])
        cut_off(connection, runs=CUT_OFF)


def _until_painted(one: Home) -> float:
    one.end_watch()
    screen = Terminal(one.command(), one.environment, one.folder)
    try:
        for words in FULL_PAINT:
            at = screen.wait_for(words)
        return (at - screen.began) * 1000
    finally:
        screen.close()


# A crash with many agents at work.


def _settle(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    return {f"{count} agents": _crash(folder / str(count), count) for count in (1, chosen.agents)}


def _crash(folder: Path, count: int) -> dict[str, float]:
    with home(folder) as one:
        run = one.launch("many", count, [*agent(folder), "1", "1"])
        one.all_run(run, count)
        until(lambda: one.tally(run)["running"] == count, what="all recorded as running", every=0.2)
        killed = time.perf_counter()
        one.end_watch(signal.SIGKILL)
        begun = time.perf_counter()
        with subprocess.Popen(one.command("recover", "--json"), env=one.environment, stdout=subprocess.PIPE) as asking:
            until(lambda: not one.marked(run), what="every process gone", every=0.05)
            gone = time.perf_counter()
            offered = json.loads(asking.communicate()[0])
        settled = time.perf_counter()
        if [len(found["interrupted"]) for found in offered] != [count]:
            raise RuntimeError(f"not all {count} are interrupted: {offered}")
        return {
            "start_to_recorded_s": round(settled - begun, 2),
            "kill_to_recorded_s": round(settled - killed, 2),
            "kill_to_all_gone_s": round(gone - killed, 2),
        }


# A journal, read again.


def _reread(chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    journal, lines = folder / "journal.out", 0
    with journal.open("w") as opened:
        while opened.tell() < chosen.mib << 20:
            lines += 1
            for report in (
                {"report": "text", "text": f"So far, after {lines} turns: " + "what was found out and done. " * 6},
                {"report": "tool", "name": "edit", "detail": f"src/part_{lines}.py"},
                {"report": "turn"},
                {"report": "usage", "id": f"r{lines}", "model": "m", "input": 900, "output": 80, "cost_usd": 0.0125},
            ):
                opened.write(json.dumps(report) + "\n")
    plain, mine = [], []
    for _ in range(3):
        begun = time.perf_counter()
        with journal.open("rb") as opened_again:
            for line in opened_again:
                json.loads(line)
        plain.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        reading = AttemptReading(
            run="run",
            agent="agent",
            attempt=1,
            attempt_id="attempt",
            reader=adapter("command").reader(reports=True),
            ledger=Ledger(),
        )
        reading.read_to_end(line for batch in lines_of(journal) for line in batch)
        mine.append(time.perf_counter() - begun)
    return {
        "mib": chosen.mib,
        "lines": 4 * lines,
        "json_loads_s": spread(plain),
        "midwatch_s": spread(mine),
        "midwatch_to_json_loads": spread([one / other for one, other in zip(mine, plain, strict=True)]),
    }


if __name__ == "__main__":
    sys.exit(main())
