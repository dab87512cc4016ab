"""Two who write at once: each transition is made by one of them, the other's is refused (E6)."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from story import delegated, started

from store import events as e
from store.audit import audit_run
from store.database import open_reader, open_writer
from store.model import Counts, Reason
from store.record import Batch, Recorded, record

CHILD = Path(__file__).with_name("writing_child.py")


@contextmanager
def at_the_same_moment(*commands: list[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Children that were all told to go on together, once every one of them was ready."""
    pipe = subprocess.PIPE
    children = [
        subprocess.Popen([sys.executable, str(CHILD), *command], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for command in commands
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        yield children
    finally:
        for child in children:
            child.kill()
            child.communicate()


def test_two_threads_start_the_same_agent(writer: sqlite3.Connection, path: Path) -> None:
    agents = [f"agent-{number}" for number in range(50)]
    record(writer, [Batch(events=delegated("r", *agents))])
    barrier, results = threading.Barrier(2), dict[str, list[Recorded]]()

    def start_all(name: str) -> None:
        with closing(open_writer(path)) as connection:
            for agent in agents:
                barrier.wait()
                results.setdefault(name, []).extend(record(connection, [Batch(events=(started("r", agent),))]))

    threads = [threading.Thread(target=start_all, args=(name,)) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(results["one"], results["other"], strict=True):
        assert sorted((len(one.applied), len(other.applied))) == [0, 1]
        assert sorted((len(one.refused), len(other.refused))) == [0, 1]
    assert audit_run(writer, "r") == []


def test_a_stop_and_a_start_that_land_together(writer: sqlite3.Connection, path: Path) -> None:
    """Stop means stop (R14): whichever comes first, the agent ends up stopping, and is started at most once."""
    agents = [f"agent-{number}" for number in range(40)]
    record(writer, [Batch(events=delegated("r", *agents))])
    barrier = threading.Barrier(2)

    def stop_all() -> None:
        with closing(open_writer(path)) as connection:
            for agent in agents:
                barrier.wait()
                stopping = e.DelegationStopping(run="r", agent=agent, reason=Reason.OPERATOR)
                record(connection, [Batch(events=(stopping,))])

    thread = threading.Thread(target=stop_all)
    thread.start()
    for agent in agents:
        barrier.wait()
        record(writer, [Batch(events=(started("r", agent),))])
    thread.join()
    assert writer.execute("SELECT DISTINCT state FROM delegations").fetchall() == [("stopping",)]
    assert audit_run(writer, "r") == []


def test_three_processes_start_the_same_agents(writer: sqlite3.Connection, path: Path) -> None:
    agents = 100
    record(writer, [Batch(events=delegated("r", *(f"agent-{number}" for number in range(agents))))])
    with at_the_same_moment(*[["start", str(path), "r", str(agents)]] * 3) as children:
        shares = [int(child.communicate(timeout=60)[0]) for child in children]
    assert sum(shares) == agents
    assert writer.execute("SELECT count(*) FROM attempts").fetchone() == (agents,)
    assert writer.execute("SELECT count(*) FROM dead_letters").fetchone() == (2 * agents,)
    assert audit_run(writer, "r") == []


def test_three_processes_make_the_record(tmp_path: Path) -> None:
    for path in (tmp_path / f"{number}.db" for number in range(4)):
        with at_the_same_moment(*[["migrate", str(path)]] * 3) as children:
            said = [child.communicate(timeout=60)[1] for child in children]
            assert [child.returncode for child in children] == [0, 0, 0], said
        with closing(open_reader(path)) as reader:
            keys = reader.execute("SELECT key FROM meta ORDER BY key").fetchall()
        assert keys == [("created_at",), ("machine",), ("record",)]


def test_a_file_that_another_process_has_just_locked(path: Path) -> None:
    """SQLite's own waiting leaves out the change to WAL, which is what two processes that make the record race for."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE anything(key)")
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.2, lambda: other.execute("COMMIT"))
        release.start()
        with closing(open_writer(path)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        release.join()


def test_an_audit_sees_one_moment_while_others_write(writer: sqlite3.Connection, path: Path) -> None:
    record(writer, [Batch(events=(*delegated("r", "api"), started("r", "api")))])
    done = threading.Event()

    def use() -> None:
        with closing(open_writer(path)) as connection:
            while not done.is_set():
                usage = e.UsageRecorded(run="r", agent="api", attempt=1, turns=1, counts=Counts(input=1))
                record(connection, [Batch(events=(usage,))])

    thread = threading.Thread(target=use)
    thread.start()
    try:
        with closing(open_reader(path)) as reader:
            differences = [audit_run(reader, "r") for _ in range(60)]
    finally:
        done.set()
        thread.join()
    assert differences == [[]] * 60
