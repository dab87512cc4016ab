"""What it costs to supervise agents that print, next to a loop that only reads their pipes.

    python -m bench.supervise --tmp FOLDER_ON_THE_DISK_TO_MEASURE [--agents 200] [--seconds 5] [--rounds 3]

Each agent prints twenty lines of 300 bytes a second. Rounds alternate over two candidates, each in a process of its
own, and a ratio is taken round by round:

  reader     bare pipes, one epoll loop: non-blocking reads, split by hand; no journal, no keeper, nothing survives it
  midwatch   `harness.supervisor`: a keeper per agent, every byte in a journal before it is parsed; CPU of the watch,
             the zygote and all keepers together

`cpu_ratio` is over everything from the first fork to the last line; `cpu_ratio_line` for one line once every agent has
printed. Beside it: lines lost; milliseconds from the launch of one agent until `started` is heard, one
after the other (`ready`) and all of them at once (`ready_in_a_burst`); proportional memory of a keeper while all are
there; milliseconds of one `look()`. Lists are [min, median, max] over the rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.identity import Identity
from harness.process_table import process_table
from harness.supervisor import Exit, Kept, Order, Supervisor

LINES_A_SECOND = 20
LINE_BYTES = 300
ALONE = 40  # agents launched one after the other, to see how long one takes
LOOKS = 20
GRACE_S = 20.0
AGENT_IN_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
  int lines = atoi(words[1]); long gap = atol(words[2]); char line[512]; struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int number = 0; number < lines; number++) {
    int head = snprintf(line, sizeof line, "{\"report\":\"text\",\"seq\":%d,\"text\":\"", number);
    memset(line + head, 'x', 297 - head); memcpy(line + 297, "\"}\n", 3);
    if (write(1, line, 300) < 0) return 1;
    next.tv_nsec += gap; while (next.tv_nsec >= 1000000000L) { next.tv_nsec -= 1000000000L; next.tv_sec++; }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, 0);
  }
  pause();
}
"""
AGENT_IN_PYTHON = """
import os, sys, time
lines, gap, due = int(sys.argv[1]), int(sys.argv[2]) / 1e9, time.monotonic()
for number in range(lines):
    head = '{"report":"text","seq":%d,"text":"' % number
    os.write(1, (head + 'x' * (297 - len(head)) + '"}\\n').encode())
    due += gap
    time.sleep(max(0, due - time.monotonic()))
time.sleep(3600)
"""


def agent(folder: Path) -> list[str]:
    """The program that prints, its own cost next to nothing where there is a C compiler."""
    source, program = folder / "agent.c", folder / "agent"
    if shutil.which("cc"):
        source.write_text(AGENT_IN_C)
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        return [str(program)]
    source = folder / "agent.py"
    source.write_text(AGENT_IN_PYTHON)
    return [sys.executable, "-I", "-S", str(source)]


# The reader.


def read(argv: Sequence[str], agents: int, lines: int) -> dict[str, Any]:
    """One round of the bare reader."""
    poll = select.epoll()
    processes, rests = [], {}
    for _ in range(agents):
        process = subprocess.Popen(argv, stdout=subprocess.PIPE)
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        os.set_blocking(descriptor, False)
        poll.register(descriptor, select.EPOLLIN)
        processes.append(process)
        rests[descriptor] = b""
    spoke: set[int] = set()
    seen = seen_at_start = 0
    used_at_start = 0.0
    deadline = time.monotonic() + lines / LINES_A_SECOND + GRACE_S
    while seen < agents * lines and time.monotonic() < deadline:
        for descriptor, _ in poll.poll(1):
            *whole, rests[descriptor] = (rests[descriptor] + os.read(descriptor, 65536)).split(b"\n")
            seen += len(whole)
            if not used_at_start:
                spoke.add(descriptor)
                if len(spoke) == agents:
                    used_at_start, seen_at_start = time.process_time(), seen
    used = time.process_time()
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    return {
        "cpu": used,
        "cpu_line": (used - used_at_start) / (seen - seen_at_start),
        "lost": agents * lines - seen,
    }


# midwatch.


class Counting:
    """A sink that only counts."""

    def __init__(self, bench: Watching) -> None:
        self._bench = bench
        self.launched = time.perf_counter()
        self.ready = asyncio.Event()
        self.ready_ms = 0.0
        self.seen = 0

    def started(self, identity: Identity) -> None:
        self.ready_ms = (time.perf_counter() - self.launched) * 1000
        self.ready.set()

    def refused(self, error: str) -> None:
        raise SystemExit(error)

    def lines(self, lines: list[bytes]) -> None:
        if not self.seen:
            self._bench.speaking()
        self.seen += len(lines)
        self._bench.heard(len(lines))

    def output(self, out_bytes: int, err_bytes: int) -> None:
        pass

    def over_limit(self) -> None:
        raise SystemExit("over a limit that was not set")

    def disk_full(self) -> None:
        raise SystemExit("the disk is full")

    def gone(self, exit: Exit) -> None:  # noqa: A002  # the noun of the domain
        pass


class Watching:
    """One round of the supervisor."""

    def __init__(self, argv: Sequence[str], folder: Path, agents: int, lines: int) -> None:
        self._argv, self._folder = tuple(argv), folder
        self._agents, self._wanted = agents, agents * lines
        self._supervisor = Supervisor()
        self._kept: list[Kept] = []
        self._launched = self._speaking = self._seen = self._seen_at_start = 0
        self._used_at_start = 0.0
        self._complete = asyncio.Event()

    def speaking(self) -> None:
        """One more agent has printed something."""
        self._speaking += 1
        if self._speaking == self._agents:
            self._used_at_start, self._seen_at_start = self._used(), self._seen

    def heard(self, lines: int) -> None:
        """So many more lines have come."""
        self._seen += lines
        if self._seen >= self._wanted:
            self._complete.set()

    async def measure(self, *, alone: bool) -> dict[str, Any]:
        """What the round came to."""
        await self._supervisor.start()
        sinks = [self._launch(self._argv) for _ in range(self._agents)]
        with suppress(TimeoutError):
            await asyncio.wait_for(self._complete.wait(), self._wanted / self._agents / LINES_A_SECOND + GRACE_S)
        used = self._used()
        found = {
            "cpu": used,
            "cpu_line": (used - self._used_at_start) / (self._seen - self._seen_at_start),
            "lost": self._wanted - self._seen,
            "ready_in_a_burst_ms": [one.ready_ms for one in sinks],
            "keeper_pss_kib": [_pss(one.keeper.pid) for one in self._kept if one.keeper is not None],
            "look_ms": [self._look() for _ in range(LOOKS)],
            "processes": len(process_table()),
        }
        for kept in self._kept:
            kept.kill()
        await asyncio.gather(*(kept.end() for kept in self._kept))
        if alone:
            found["ready_ms"] = [await self._alone() for _ in range(ALONE)]
        await self._supervisor.close()
        return found

    def _launch(self, argv: tuple[str, ...]) -> Counting:
        self._launched += 1
        files = self._folder / f"{os.getpid()}-{self._launched}"
        order = Order(
            mark=f"bench/{self._launched}",
            argv=argv,
            env=dict(os.environ),
            cwd=str(self._folder),
            umask=0o022,
            limits=(),
            stdin=Path(os.devnull),
            out=files.with_suffix(".out"),
            err=files.with_suffix(".err"),
            exit=files.with_suffix(".exit"),
        )
        sink = Counting(self)
        self._kept.append(self._supervisor.launch(order, sink))
        return sink

    async def _alone(self) -> float:
        sink = self._launch(("/bin/sleep", "60"))
        await sink.ready.wait()
        self._kept[-1].kill()
        await self._kept[-1].end()
        return sink.ready_ms

    def _look(self) -> float:
        began = time.perf_counter()
        self._supervisor.look()
        return (time.perf_counter() - began) * 1000

    def _used(self) -> float:
        """CPU seconds of the watch, the zygote and the keepers."""
        keepers = {one.keeper.pid for one in self._kept if one.keeper is not None}
        zygotes = {int(Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[1]) for one in keepers}
        return time.process_time() + sum(_ran(one) for one in keepers | zygotes)


def _ran(pid: int) -> float:
    """Seconds on a CPU; finer than the ticks of `stat`, of which a keeper has none."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _pss(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


# Rounds.


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints one JSON document."""
    parser = argparse.ArgumentParser(prog="bench.supervise", description=__doc__.splitlines()[0])
    parser.add_argument("--tmp", type=Path, help="where the journals go; the disk that is measured")
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--round", choices=["reader", "midwatch"], help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    lines = int(options.seconds * LINES_A_SECOND)
    if options.round is not None:
        print(json.dumps(_round(options, lines)))
        return 0
    with tempfile.TemporaryDirectory(dir=options.tmp) as folder:
        agent(Path(folder))
        rounds = [
            {kind: _apart(options, kind, folder, alone=number == 0) for kind in ("reader", "midwatch")}
            for number in range(options.rounds)
        ]
    print(json.dumps(_summary(options, lines, rounds), indent=1))
    return 0


def _apart(options: argparse.Namespace, kind: str, folder: str, *, alone: bool) -> dict[str, Any]:
    """One round in a process of its own, so that its CPU is only its own."""
    words = [sys.executable, "-m", "bench.supervise", "--round", kind, "--tmp", folder]
    words += ["--agents", str(options.agents), "--seconds", str(options.seconds), *(["--alone"] if alone else [])]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=options.seconds + 3 * GRACE_S)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _round(options: argparse.Namespace, lines: int) -> dict[str, Any]:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    program = options.tmp / "agent"
    words = [str(program)] if program.exists() else [sys.executable, "-I", "-S", str(options.tmp / "agent.py")]
    argv = [*words, str(lines), str(1_000_000_000 // LINES_A_SECOND)]
    if options.round == "reader":
        return read(argv, options.agents, lines)

    async def watch() -> dict[str, Any]:
        return await Watching(argv, options.tmp, options.agents, lines).measure(alone=options.alone)

    return asyncio.run(watch())


def _summary(options: argparse.Namespace, lines: int, rounds: list[dict[str, Any]]) -> dict[str, Any]:
    watched = [one["midwatch"] for one in rounds]
    return {
        "agents": options.agents,
        "lines": options.agents * lines,
        "rounds": options.rounds,
        "cpu_ratio": _spread(one["midwatch"]["cpu"] / one["reader"]["cpu"] for one in rounds),
        "cpu_ratio_line": _spread(one["midwatch"]["cpu_line"] / one["reader"]["cpu_line"] for one in rounds),
        "cpu_s": {kind: _spread(one[kind]["cpu"] for one in rounds) for kind in ("reader", "midwatch")},
        "cpu_line_us": {
            kind: _spread(one[kind]["cpu_line"] * 1e6 for one in rounds) for kind in ("reader", "midwatch")
        },
        "lost": {kind: sum(one[kind]["lost"] for one in rounds) for kind in ("reader", "midwatch")},
        "ready_ms": _quantiles([value for one in watched for value in one.get("ready_ms", [])]),
        "ready_in_a_burst_ms": _quantiles([value for one in watched for value in one["ready_in_a_burst_ms"]]),
        "keeper_pss_mib": _quantiles([value / 1024 for one in watched for value in one["keeper_pss_kib"]]),
        "look_ms": _quantiles([value for one in watched for value in one["look_ms"]]),
        "processes_looked_at": max(one["processes"] for one in watched),
    }


def _spread(values: Any) -> list[float]:
    found = sorted(values)
    return [round(found[0], 3), round(statistics.median(found), 3), round(found[-1], 3)]


def _quantiles(values: list[float]) -> dict[str, float]:
    found = sorted(values)
    return {
        "median": round(statistics.median(found), 3),
        "p99": round(found[min(len(found) - 1, int(len(found) * 0.99))], 3),
        "max": round(found[-1], 3),
    }


if __name__ == "__main__":
    sys.exit(main())
