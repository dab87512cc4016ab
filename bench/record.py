"""What it costs to record one transition durably, next to the very same rows written by hand.

    python -m bench.record --tmp FOLDER_ON_THE_DISK_TO_MEASURE

One step is one transition of a delegation in a run of twenty agents: delegated, started (with its attempt),
reported, accepted; each is its own commit at synchronous=FULL.

  record    `store.record`: the event object, the check against the machine, event, tables, outbox
  by hand   a loop of bare sqlite3 statements on the same schema: compare-and-set, event, tables, outbox
  three     UPDATE, INSERT event, INSERT outbox on the barest tables: the limit that other engines are measured against

Rounds alternate over the candidates, each on a fresh file, and a ratio is taken round by round. `grouped` puts ten
transitions into one commit. `growth` compares files that hold 1,000 and 1,000,000 events, steps of both in turn.
Lists are [min, median, max] over the rounds; times are microseconds for one transition.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.filled import EVENTS_OF_RUN, fill
from store import events as e
from store.database import open_writer
from store.ids import new_id, new_run_id, now_ms
from store.migrations import migrate
from store.model import Role, Verdict
from store.plan import Plan, PlannedAgent, PlannedWave
from store.plan_encoding import encode_plan
from store.record import Batch, record

AGENTS = [f"agent-{number:02}" for number in range(20)]
STAGES = 4
STEPS_OF_RUN = STAGES * len(AGENTS)
PLAN = Plan(
    waves=(
        PlannedWave(
            name="build",
            agents=tuple(PlannedAgent(name=agent, role=Role.REVIEWER, cli="claude", model="opus") for agent in AGENTS),
        ),
    )
)
DIGEST, ANSWER = "d" * 64, "a" * 64
QUOTE = "Verdict: GO, the change does what was asked and its tests pass"
FILES = ("src/api/routes.py", "tests/test_routes.py")
dumps = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Candidate(ABC):
    """One way of making transitions durable, on a file of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.steps = 0
        self.run = ""
        self.connection = open_writer(path)
        self.prepare()

    def prepare(self) -> None:
        """Makes the tables."""
        migrate(self.connection, self.path, machine="bench")

    @abstractmethod
    def launch(self) -> None:
        """Records a fresh run; not timed."""

    @abstractmethod
    def transition(self, count: int) -> None:
        """Makes the next `count` transitions durable in one commit."""

    def place(self, offset: int) -> tuple[str, int, int]:
        """Agent, its position and its stage at the step that is `offset` further."""
        within = (self.steps + offset) % STEPS_OF_RUN
        return AGENTS[within % len(AGENTS)], within % len(AGENTS), within // len(AGENTS)

    def time(self, steps: int, group: int) -> list[float]:
        """Microseconds of each transition, `group` of them to a commit."""
        found = []
        for _ in range(steps // group):
            if self.steps % STEPS_OF_RUN == 0:
                self.launch()
            begun = time.perf_counter_ns()
            self.transition(group)
            found.append((time.perf_counter_ns() - begun) / 1000 / group)
            self.steps += group
        return found

    def bytes_of_file(self) -> int:
        """The size of the file when the log is folded into it."""
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.path.stat().st_size

    def rows(self) -> dict[str, tuple[int, ...]]:
        """How many rows each table has, to see that candidates did the same work."""
        tables = ("events", "outbox", "runs", "delegations", "attempts")
        found = {table: self.connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables}
        found["characters"] = self.connection.execute("SELECT sum(length(type) + length(data)) FROM events").fetchone()
        return found


class ThroughRecord(Candidate):
    """`store.record`, called as the watch's writer calls it."""

    def launch(self) -> None:
        self.run = new_run_id()
        launched = e.RunLaunched(
            run=self.run, workflow="/w/ship.toml", name="ship", folder="/w", plan=PLAN, digest=DIGEST
        )
        record(self.connection, [Batch(events=(launched,))])

    def transition(self, count: int) -> None:
        batches = [Batch(events=(self._event(offset),)) for offset in range(count)]
        if any(recorded.refused for recorded in record(self.connection, batches)):
            raise RuntimeError("a transition was refused")

    def _event(self, offset: int) -> e.Event:
        agent, position, stage = self.place(offset)
        if stage == 0:
            return e.DelegationDelegated(run=self.run, agent=agent, wave=0, position=position)
        if stage == 1:
            return e.DelegationStarted(
                run=self.run, agent=agent, attempt=1, attempt_id=new_id(), cli="claude", deadline=now_ms()
            )
        if stage == 2:
            return e.DelegationReported(run=self.run, agent=agent, attempt=1, answer_bytes=4711, answer_sha256=ANSWER)
        return e.DelegationAccepted(run=self.run, agent=agent, verdict=Verdict.ACCEPTED, quote=QUOTE, files=FILES)


class ByHand(Candidate):
    """The same rows by the statements that somebody would write who needs nothing else."""

    def launch(self) -> None:
        self.run, at = new_run_id(), now_ms()
        plan = dumps(encode_plan(PLAN))
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.execute(
            "INSERT INTO runs(id, workflow, name, folder, digest, plan, inputs, state, started_at)"
            " VALUES(?,'/w/ship.toml','ship','/w',?,?,'{}','live',?)",
            (self.run, DIGEST, plan, at),
        )
        data = (
            f'{{"workflow":"/w/ship.toml","name":"ship","folder":"/w","plan":{plan},"digest":"{DIGEST}",'
            '"inputs":{},"environment":{}}'
        )
        self._log(None, at, "run.launched", None, "live", data)
        self.connection.execute("COMMIT")

    def transition(self, count: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for offset in range(count):
            agent, position, stage = self.place(offset)
            (self._delegated, self._started, self._reported, self._accepted)[stage](agent, position, now_ms())
        self.connection.execute("COMMIT")

    def _log(self, agent: str | None, at: int, kind: str, was: str | None, now: str, data: str) -> None:
        cursor = self.connection.execute(
            "INSERT INTO events(id, at, run, agent, type, from_state, to_state, data) VALUES(?,?,?,?,?,?,?,?)",
            (new_id(), at, self.run, agent, kind, was, now, data),
        )
        self.connection.execute("INSERT INTO outbox(seq) VALUES(?)", (cursor.lastrowid,))

    def _changed(self, statement: str, values: tuple[object, ...]) -> None:
        if self.connection.execute(statement, values).rowcount != 1:
            raise RuntimeError("a compare-and-set was lost")

    def _delegated(self, agent: str, position: int, at: int) -> None:
        self._changed(
            "INSERT INTO delegations(run, agent, wave, position, state) VALUES(?,?,0,?,'delegated')",
            (self.run, agent, position),
        )
        self._log(
            agent, at, "delegation.delegated", None, "delegated", f'{{"position":{position}}}' if position else "{}"
        )

    def _started(self, agent: str, position: int, at: int) -> None:
        self._changed(
            "UPDATE delegations SET state='running', started_at=? WHERE run=? AND agent=? AND state='delegated'",
            (at, self.run, agent),
        )
        attempt = new_id()
        self.connection.execute(
            "INSERT INTO attempts(run, agent, number, id, cli, deadline, started_at) VALUES(?,?,1,?,'claude',?,?)",
            (self.run, agent, attempt, at, at),
        )
        data = json.dumps({"attempt": 1, "attempt_id": attempt, "cli": "claude", "deadline": at}, separators=(",", ":"))
        self._log(agent, at, "delegation.started", "delegated", "running", data)

    def _reported(self, agent: str, position: int, at: int) -> None:
        self._changed(
            "UPDATE delegations SET state='review', answer_bytes=4711, answer_sha256=?"
            " WHERE run=? AND agent=? AND state='running'",
            (ANSWER, self.run, agent),
        )
        data = dumps({"attempt": 1, "answer_bytes": 4711, "answer_sha256": ANSWER})
        self._log(agent, at, "delegation.reported", "running", "review", data)

    def _accepted(self, agent: str, position: int, at: int) -> None:
        self._changed(
            "UPDATE delegations SET state='done', verdict='accepted', quote=?, files=?, ended_at=?"
            " WHERE run=? AND agent=? AND state='review'",
            (QUOTE, json.dumps(FILES), at, self.run, agent),
        )
        data = dumps({"verdict": "accepted", "quote": QUOTE, "files": FILES})
        self._log(agent, at, "delegation.accepted", "review", "done", data)


class ThreeStatements(Candidate):
    """The least that keeps state, event and outbox together; its payload has the size that ours has on average."""

    PAYLOAD = json.dumps({"text": "x" * 90})

    def prepare(self) -> None:
        self.connection.executescript(
            "CREATE TABLE steps(id INTEGER PRIMARY KEY, status TEXT NOT NULL, version INTEGER NOT NULL,"
            " at REAL NOT NULL);"
            "CREATE TABLE events(id INTEGER PRIMARY KEY, step INTEGER NOT NULL, seq INTEGER NOT NULL,"
            " type TEXT NOT NULL, at REAL NOT NULL, payload TEXT NOT NULL);"
            "CREATE UNIQUE INDEX events_step ON events(step, seq);"
            "CREATE TABLE outbox(id INTEGER PRIMARY KEY, event INTEGER NOT NULL, topic TEXT NOT NULL, sent_at REAL);"
            "CREATE INDEX outbox_unsent ON outbox(id) WHERE sent_at IS NULL;"
        )
        self.connection.executemany(
            "INSERT INTO steps VALUES(?,'running',0,0)", [(number,) for number in range(len(AGENTS))]
        )

    def launch(self) -> None:
        pass

    def transition(self, count: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for offset in range(count):
            version, agent = divmod(self.steps + offset, len(AGENTS))
            changed = self.connection.execute(
                "UPDATE steps SET status=?, version=version+1, at=? WHERE id=? AND version=?",
                (("running", "waiting")[version % 2], time.time(), agent, version),
            )
            if changed.rowcount != 1:
                raise RuntimeError("a compare-and-set was lost")
            cursor = self.connection.execute(
                "INSERT INTO events(step, seq, type, at, payload) VALUES(?,?,'step.done',?,?)",
                (agent, version, time.time(), self.PAYLOAD),
            )
            self.connection.execute("INSERT INTO outbox(event, topic) VALUES(?,'ui')", (cursor.lastrowid,))
        self.connection.execute("COMMIT")


def spread(values: Sequence[float]) -> list[float]:
    """[min, median, max]."""
    return [round(min(values), 3), round(statistics.median(values), 3), round(max(values), 3)]


def compare(folder: Path, *, rounds: int, steps: int, group: int) -> dict[str, Any]:
    """Times and sizes of the candidates over alternating rounds, each on fresh files."""
    kinds = (ThroughRecord, ByHand, ThreeStatements)
    medians: dict[str, list[float]] = {kind.__name__: [] for kind in kinds}
    sizes: dict[str, list[float]] = {kind.__name__: [] for kind in kinds}
    for number in range(rounds):
        candidates = [kind(folder / f"{kind.__name__}.{group}.{number}.db") for kind in kinds]
        for candidate in candidates:
            candidate.time(STEPS_OF_RUN, group)
        pieces: dict[str, list[float]] = {kind.__name__: [] for kind in kinds}
        for _ in range(steps // STEPS_OF_RUN):
            for candidate in candidates:
                pieces[type(candidate).__name__] += candidate.time(STEPS_OF_RUN, group)
        if candidates[0].rows() != candidates[1].rows():
            raise RuntimeError(f"not the same rows: {candidates[0].rows()} and {candidates[1].rows()}")
        for candidate in candidates:
            name = type(candidate).__name__
            medians[name].append(statistics.median(pieces[name]))
            sizes[name].append(candidate.bytes_of_file() / candidate.steps)
            candidate.connection.close()
    ours, hand, three = (kind.__name__ for kind in kinds)

    def ratio(of: dict[str, list[float]], other: str) -> list[float]:
        return spread([one / two for one, two in zip(of[ours], of[other], strict=True)])

    return {
        "us_per_transition": {name: spread(medians[name]) for name in medians},
        "bytes_per_transition": {name: spread(sizes[name]) for name in sizes},
        "time_ratio_to_by_hand": ratio(medians, hand),
        "bytes_ratio_to_by_hand": ratio(sizes, hand),
        "time_ratio_to_three_statements": ratio(medians, three),
        "bytes_ratio_to_three_statements": ratio(sizes, three),
    }


def growth(folder: Path, *, rounds: int, steps: int, events: Sequence[int]) -> dict[str, Any]:
    """Time of a transition in records that already hold so many events, steps of each in turn."""
    candidates = []
    for held in events:
        candidate = ThroughRecord(folder / f"growth.{held}.db")
        fill(candidate.connection, runs=max(1, held // EVENTS_OF_RUN), events_of_run=min(held, EVENTS_OF_RUN))
        candidate.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        candidate.time(STEPS_OF_RUN, 1)
        candidates.append(candidate)
    medians: list[list[float]] = [[] for _ in candidates]
    for _ in range(rounds):
        pieces: list[list[float]] = [[] for _ in candidates]
        for _ in range(steps // STEPS_OF_RUN):
            for found, candidate in zip(pieces, candidates, strict=True):
                found += candidate.time(STEPS_OF_RUN, 1)
        for kept, found in zip(medians, pieces, strict=True):
            kept.append(statistics.median(found))
    for candidate in candidates:
        candidate.connection.close()
    return {
        "us_per_transition": {str(held): spread(kept) for held, kept in zip(events, medians, strict=True)},
        "ratio_last_to_first": spread([last / first for first, last in zip(medians[0], medians[-1], strict=True)]),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.record", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tmp", type=Path, help="a folder on the disk to measure; the system's temporary one unless said"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1600, help="transitions of each candidate in a round")
    parser.add_argument(
        "--growth", default="1000,1000000", help="events already held, comma-separated; empty: leave out"
    )
    chosen = parser.parse_args(arguments)
    held = [int(number) for number in chosen.growth.split(",") if number]
    with tempfile.TemporaryDirectory(dir=chosen.tmp) as name:
        folder = Path(name)
        found: dict[str, Any] = {
            "sqlite": sqlite3.sqlite_version,
            "python": sys.version.split()[0],
            "rounds": chosen.rounds,
            "steps": chosen.steps,
            "single": compare(folder, rounds=chosen.rounds, steps=chosen.steps, group=1),
            "grouped": compare(folder, rounds=chosen.rounds, steps=chosen.steps, group=10),
        }
        if held:
            found["growth"] = growth(folder, rounds=chosen.rounds, steps=chosen.steps, events=held)
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
