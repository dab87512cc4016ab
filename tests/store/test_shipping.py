"""Killed at any moment, a relay loses nothing; with what it has seen noted, an effect happens exactly once (E4, E5)."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from story import delegated, finished

from store import outbox
from store.database import data_version, open_reader, write
from store.ids import now_ms
from store.letters import open_letters
from store.record import Batch, record
from store.seen import once

CHILD = Path(__file__).with_name("shipping_child.py")
EVENTS = 400
KILLS = 8


@pytest.fixture
def owed(writer: sqlite3.Connection, path: Path) -> list[str]:
    """The ids of many events that a consumer called 'file' is owed."""
    batches = [Batch(events=(*delegated(f"r{number}", "api"), finished(f"r{number}"))) for number in range(EVENTS)]
    record(writer, batches)
    outbox.hand_out(writer, {"file": {"run.finished"}}, limit=10_000, now=now_ms())
    writer.execute("INSERT INTO meta VALUES('counted', '0')")
    return [row[0] for row in writer.execute("SELECT id FROM events WHERE type='run.finished'")]


def shipping(*words: object) -> subprocess.Popen[str]:
    """A child that was told to go on once it was ready."""
    pipe = subprocess.PIPE
    command = [sys.executable, str(CHILD), *map(str, words)]
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "ready\n"
    child.stdin.write("go\n")
    child.stdin.flush()
    return child


def kill_while_it_ships(path: Path, *words: object) -> None:
    """Children, one after the other, are killed at some moment while they ship; the last goes on to the end."""
    chance = random.Random(2027)
    with closing(open_reader(path)) as reader:
        for _ in range(KILLS):
            seen, child = data_version(reader), shipping(*words)
            try:
                deadline = time.monotonic() + 10
                while data_version(reader) == seen:
                    assert child.poll() is None, child.communicate()
                    assert time.monotonic() < deadline, "nothing was leased within ten seconds"
                    time.sleep(0.001)
                time.sleep(chance.random() * 0.02)
            finally:
                child.kill()
                child.communicate()
    last = shipping(*words)
    assert last.communicate(timeout=60)[1] == ""
    assert last.returncode == 0


def test_everything_arrives_and_little_twice(
    writer: sqlite3.Connection, path: Path, owed: list[str], tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    kill_while_it_ships(path, "deliver", path, taken)
    arrived = Counter(taken.read_text().split())
    assert set(arrived) == set(owed)
    assert sum(arrived.values()) - len(owed) <= KILLS
    assert writer.execute("SELECT count(*) FROM outbox").fetchone() == (0,)
    assert open_letters(writer) == []


def test_an_effect_in_the_record_happens_exactly_once(writer: sqlite3.Connection, path: Path, owed: list[str]) -> None:
    kill_while_it_ships(path, "count", path)
    assert writer.execute("SELECT value FROM meta WHERE key='counted'").fetchone() == (str(len(owed)),)
    assert writer.execute("SELECT count(*) FROM seen").fetchone() == (len(owed),)


def test_what_was_seen_has_no_effect_again(writer: sqlite3.Connection) -> None:
    done: list[str] = []
    assert once(writer, "one", "event", lambda _: done.append("first"))
    assert not once(writer, "one", "event", lambda _: done.append("again"))
    assert once(writer, "other", "event", lambda _: done.append("for another"))
    assert once(writer, "one", "later", lambda _: done.append("later"))
    assert done == ["first", "for another", "later"]


def test_an_effect_that_fails_is_not_seen(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO meta VALUES('half', 'done')")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        once(writer, "one", "event", half)
    assert reader.execute("SELECT count(*) FROM meta WHERE key='half'").fetchone() == (0,)
    assert once(writer, "one", "event", lambda _: None)
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"), write(writer):
        once(writer, "one", "later", lambda _: None)
