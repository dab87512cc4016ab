"""Rows out under a lease, at least once, each consumer by itself; what fails every time is a dead letter (E4, E7)."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from story import delegated, finished

from store import events as e
from store import outbox
from store.database import open_writer
from store.letters import Kind, open_letters
from store.outbox import MOST_TRIES, Leased
from store.record import Batch, record

NOW = 1_000_000
BEGUN = 10  # instructions; BEGIN itself has fewer
ENDS = {"run.finished"}


def ended(writer: sqlite3.Connection, *runs: str) -> None:
    for run in runs:
        record(writer, [Batch(events=(*delegated(run, "api"), finished(run)))])


def hand_out(writer: sqlite3.Connection, *consumers: str, limit: int = 100) -> int:
    return outbox.hand_out(writer, dict.fromkeys(consumers, ENDS), limit=limit, now=NOW)


def lease(writer: sqlite3.Connection, owner: str = "me", *, limit: int = 10, now: int = NOW) -> list[Leased]:
    return outbox.lease(writer, "hook", owner, limit=limit, seconds=60, now=now)


def fail(writer: sqlite3.Connection, one: Leased, *, owner: str = "me", again_at: int = NOW + 1) -> bool:
    return outbox.fail(writer, "hook", owner, one.event.seq, "no", now=NOW, again_at=again_at)


def runs(leased: Sequence[Leased]) -> list[str | None]:
    return [one.event.run for one in leased]


def rows(writer: sqlite3.Connection) -> list[tuple[object, ...]]:
    return writer.execute("SELECT consumer, seq FROM outbox ORDER BY consumer, seq").fetchall()


def test_with_nobody_listening_nothing_piles_up(writer: sqlite3.Connection) -> None:
    ended(writer, "r", "s")
    assert outbox.waits_to_be_handed_out(writer)
    assert hand_out(writer) == 6
    assert rows(writer) == []
    assert not outbox.waits_to_be_handed_out(writer)


def test_each_consumer_gets_what_it_wants_and_no_more(writer: sqlite3.Connection) -> None:
    ended(writer, "r")
    wanting = {"hook": {"run.finished"}, "all": {"run.launched", "delegation.delegated", "run.finished"}, "none": {"x"}}
    outbox.hand_out(writer, wanting, limit=100, now=NOW)
    assert rows(writer) == [("all", 1), ("all", 2), ("all", 3), ("hook", 3)]


def test_the_oldest_are_handed_out_first(writer: sqlite3.Connection) -> None:
    ended(writer, "r", "s")
    assert hand_out(writer, "hook", limit=4) == 4
    assert rows(writer) == [("", 5), ("", 6), ("hook", 3)]
    assert hand_out(writer, "hook") == 2
    assert hand_out(writer, "hook") == 0


def test_a_lease_is_bounded_and_takes_the_oldest(writer: sqlite3.Connection) -> None:
    ended(writer, "a", "b", "c")
    hand_out(writer, "hook")
    first = lease(writer, limit=2)
    assert runs(first) == ["a", "b"]
    assert (first[0].tries, first[0].workflow, first[0].folder) == (1, "ship", "/project")
    assert first[0].event.type == "run.finished"
    assert first[0].event.data["outcome"] == "completed"
    assert runs(lease(writer, "other")) == ["c"]
    assert lease(writer, "third") == []


def test_what_was_shipped_is_gone(writer: sqlite3.Connection) -> None:
    ended(writer, "a", "b")
    hand_out(writer, "hook", "other")
    seqs = [one.event.seq for one in lease(writer)]
    assert outbox.ship(writer, "hook", "me", seqs) == 2
    assert [row[0] for row in rows(writer)] == ["other", "other"]
    assert outbox.next_due(writer, "hook") is None
    assert outbox.next_due(writer, "other") == 0


def test_a_lease_that_ended_is_somebody_elses(writer: sqlite3.Connection) -> None:
    ended(writer, "a")
    hand_out(writer, "hook")
    (mine,) = lease(writer)
    assert outbox.next_due(writer, "hook") == NOW + 60_000
    assert lease(writer, "other", now=NOW + 59_999) == []
    assert runs(lease(writer, "other", now=NOW + 60_000)) == ["a"]
    assert outbox.ship(writer, "hook", "me", [mine.event.seq]) == 0
    assert not fail(writer, mine)
    outbox.release(writer, "hook", "me", [mine.event.seq])
    assert outbox.next_due(writer, "hook") == NOW + 120_000


def test_one_that_fails_waits_and_holds_up_no_other(writer: sqlite3.Connection) -> None:
    ended(writer, "a", "b")
    hand_out(writer, "hook")
    (first,) = lease(writer, limit=1)
    assert not fail(writer, first, again_at=NOW + 500)
    assert runs(lease(writer)) == ["b"]
    assert lease(writer, now=NOW + 499) == []
    (again,) = lease(writer, now=NOW + 500)
    assert (again.event.run, again.tries) == ("a", 2)


def test_what_is_given_back_is_free_and_no_try(writer: sqlite3.Connection) -> None:
    ended(writer, "a")
    hand_out(writer, "hook")
    for _ in range(MOST_TRIES + 2):
        (one,) = lease(writer)
        assert one.tries == 1
        outbox.release(writer, "hook", "me", [one.event.seq])


def test_one_that_fails_every_time_is_a_dead_letter(writer: sqlite3.Connection) -> None:
    ended(writer, "a")
    hand_out(writer, "hook", "other")
    fates = [fail(writer, lease(writer, now=NOW + tries)[0], again_at=NOW + tries + 1) for tries in range(MOST_TRIES)]
    assert fates == [False] * (MOST_TRIES - 1) + [True]
    assert rows(writer) == [("other", 3)]
    (letter,) = open_letters(writer)
    (event,) = writer.execute("SELECT id FROM events WHERE seq=3").fetchone()
    assert (letter.id, letter.kind, letter.consumer, letter.event) == (f"{event}/hook", Kind.UNDELIVERED, "hook", 3)
    assert (letter.run, letter.type, letter.why, letter.at) == ("a", "run.finished", "no", NOW)
    assert letter.data["why"] == "that is how it went"


def test_one_at_which_the_program_dies_every_time_is_a_dead_letter(writer: sqlite3.Connection) -> None:
    ended(writer, "a", "b")
    hand_out(writer, "hook")
    moments = [NOW + number * 60_000 for number in range(MOST_TRIES)]
    assert [runs(lease(writer, f"watch {at}", limit=1, now=at)) for at in moments] == [["a"]] * MOST_TRIES
    assert runs(lease(writer, now=moments[-1] + 60_000)) == ["b"]
    (letter,) = open_letters(writer)
    assert letter.run == "a"
    assert "never seen through" in letter.why


def test_what_a_consumer_was_owed_does_not_vanish_with_it(writer: sqlite3.Connection) -> None:
    ended(writer, "a")
    hand_out(writer, "hook", "other")
    hand_out(writer, "other")
    assert rows(writer) == [("other", 3)]
    (letter,) = open_letters(writer)
    assert letter.consumer == "hook"
    assert "no such consumer any more" in letter.why


def test_two_relays_at_once_share_and_never_both_have_one(writer: sqlite3.Connection, path: Path) -> None:
    names = [f"run-{number}" for number in range(120)]
    ended(writer, *names)
    hand_out(writer, "hook", limit=1_000)
    barrier, shares = threading.Barrier(3), list[list[str | None]]()

    def take(owner: str) -> None:
        mine: list[str | None] = []
        with closing(open_writer(path)) as connection:
            barrier.wait()
            while leased := lease(connection, owner, limit=3):
                mine += runs(leased)
                outbox.ship(connection, "hook", owner, [one.event.seq for one in leased])
        shares.append(mine)

    threads = [threading.Thread(target=take, args=(f"relay {number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(str(run) for share in shares for run in share) == sorted(names)
    assert rows(writer) == []


@pytest.mark.parametrize("statement", ["hand_out", "lease", "fail"])
def test_each_step_is_made_whole_or_not_at_all(
    writer: sqlite3.Connection, reader: sqlite3.Connection, statement: str
) -> None:
    ended(writer, "a", "b")
    hand_out(writer, "hook", limit=3)
    for _ in range(MOST_TRIES - 1):
        fail(writer, lease(writer, limit=1)[0], again_at=NOW)
    (last,) = lease(writer, limit=1)
    steps = {
        "hand_out": lambda: hand_out(writer, "other"),
        "lease": lambda: lease(writer, now=NOW + 60_000),
        "fail": lambda: fail(writer, last),
    }
    stands, interrupted = list(reader.iterdump()), 0
    for moment in itertools.count(BEGUN, 7):
        with interrupted_after(writer, moment) as cut:
            try:
                steps[statement]()
            except sqlite3.OperationalError:
                interrupted += 1
        assert cut() == (list(reader.iterdump()) == stands)
        if not cut():
            break
    assert interrupted > 5


@contextmanager
def interrupted_after(connection: sqlite3.Connection, instructions: int) -> Iterator[Callable[[], bool]]:
    """SQLite is interrupted once, after so many instructions; yields whether it came to that."""
    seen = 0

    def count() -> int:
        nonlocal seen
        seen += 1
        return int(seen == instructions)

    connection.set_progress_handler(count, 1)
    try:
        yield lambda: seen >= instructions
    finally:
        connection.set_progress_handler(None, 0)


def test_events_of_no_run_can_be_shipped(writer: sqlite3.Connection) -> None:
    record(writer, [Batch(events=(e.HarnessPaused(),))])
    outbox.hand_out(writer, {"hook": {"harness.paused"}}, limit=10, now=NOW)
    (one,) = lease(writer)
    assert (one.event.run, one.workflow) == (None, None)
