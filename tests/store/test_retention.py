"""What leaves, and what stays whatever the bounds say (R5, R6)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from story import delegated, finished, launched, started

from store import events as e
from store import outbox
from store.model import Reason
from store.record import Batch, record
from store.retention import Bounds, Dropped, Kept, held_runs, kept_runs, leaving, measure, unmeasured

ROOM = Bounds(runs=1_000, bytes=1 << 40, record=1 << 40)


def kept(run: str, workflow: str = "w", *, size: int | None = 10, live: bool = False, held: bool = False) -> Kept:
    seq = int(run.lstrip("r"))
    return Kept(run=run, workflow=workflow, seq=seq, ended=None if live else seq, bytes=size, held=held)


def names(found: Sequence[tuple[str, Dropped]]) -> list[str]:
    return [run for run, _ in found]


def test_within_its_bounds_nothing_leaves() -> None:
    assert leaving([kept("r1"), kept("r2"), kept("r3")], Bounds(runs=3, bytes=30, record=10)) == []


def test_the_oldest_leave_until_the_count_fits() -> None:
    runs = [kept(f"r{number}") for number in range(1, 6)]
    assert leaving(runs, Bounds(runs=3, bytes=1_000, record=100)) == [
        ("r1", Dropped.EVICTED),
        ("r2", Dropped.EVICTED),
    ]


def test_the_oldest_leave_until_the_bytes_fit() -> None:
    runs = [kept("r1", size=1), kept("r2", size=50), kept("r3", size=1), kept("r4", size=1)]
    assert names(leaving(runs, Bounds(runs=10, bytes=52, record=100))) == ["r1"]
    assert names(leaving(runs, Bounds(runs=10, bytes=10, record=100))) == ["r1", "r2"]


def test_the_newest_of_every_workflow_stays() -> None:
    runs = [kept("r1", "a"), kept("r2", "b"), kept("r3", "c"), kept("r4", "c")]
    assert names(leaving(runs, Bounds(runs=1, bytes=1, record=100))) == ["r3"]


def test_so_does_the_last_to_end_which_opening_the_workflow_shows() -> None:
    long = Kept(run="long", workflow="w", seq=1, ended=99, bytes=10)
    assert names(leaving([long, kept("r2"), kept("r3")], Bounds(runs=1, bytes=1, record=100))) == ["r2"]


def test_a_live_run_does_not_take_the_pin() -> None:
    runs = [kept("r1"), kept("r2"), kept("r3", live=True)]
    assert names(leaving(runs, Bounds(runs=1, bytes=1, record=100))) == ["r1"]


def test_what_is_too_large_leaves_pinned_or_not_and_takes_no_other_with_it() -> None:
    runs = [kept("r1", size=40), kept("r2", size=101), kept("r3", "other", size=101)]
    assert leaving(runs, Bounds(runs=10, bytes=50, record=100)) == [
        ("r2", Dropped.TOO_LARGE),
        ("r3", Dropped.TOO_LARGE),
    ]


def test_what_is_held_or_live_leaves_in_no_case() -> None:
    runs = [kept("r1", held=True, size=500), kept("r2", live=True, size=None), kept("r3"), kept("r4")]
    assert names(leaving(runs, Bounds(runs=1, bytes=1, record=100))) == ["r3"]


KEPT = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.none() | st.integers(0, 150), st.booleans(), st.booleans(), st.integers(0, 1_000)
    ),
    max_size=12,
).map(
    lambda rows: [
        Kept(run=f"r{seq}", workflow=workflow, seq=seq, ended=None if live else ended, bytes=size, held=held)
        for seq, (workflow, size, live, held, ended) in enumerate(rows)
    ]
)


@given(runs=KEPT, count=st.integers(1, 8), size=st.integers(1, 600))
def test_of_any_runs_just_enough_leave(runs: list[Kept], count: int, size: int) -> None:
    bounds = Bounds(runs=count, bytes=size, record=100)
    found = dict(leaving(runs, bounds))
    free = [one for one in runs if one.ended is not None and not one.held]
    assert {one.run for one in free if (one.bytes or 0) > 100} == {
        run for run, why in found.items() if why is Dropped.TOO_LARGE
    }
    assert set(found) <= {one.run for one in free}
    staying = [one for one in runs if found.get(one.run) is not Dropped.TOO_LARGE]
    ended = [one for one in staying if one.ended is not None]
    newest = {one.workflow: one.run for one in ended}
    shown = {one.workflow: one.run for one in sorted(ended, key=lambda one: (one.ended or 0, -one.seq))}
    pinned = {*newest.values(), *shown.values()}
    assert not pinned & set(found)
    left = [one for one in staying if one.run not in found]
    evictable = [one for one in staying if one in free and one.run not in pinned]
    gone = [one for one in evictable if one.run in found]
    assert gone == evictable[: len(gone)]
    fits = len(left) <= count and sum(one.bytes or 0 for one in left) <= size
    assert fits or gone == evictable
    if gone:
        before = [*left, gone[-1]]
        assert len(before) > count or sum(one.bytes or 0 for one in before) > size


def ship_all(writer: sqlite3.Connection) -> None:
    outbox.hand_out(writer, {}, limit=10_000, now=0)


def ended(writer: sqlite3.Connection, run: str, *, continues: str | None = None) -> None:
    events = [*delegated(run, "api"), finished(run)]
    if continues is not None:
        events[0] = _continuing(run, continues)
    record(writer, [Batch(events=events)])


def _continuing(run: str, before: str) -> e.RunLaunched:
    first = launched(run)
    return e.RunLaunched(
        run=run,
        workflow=first.workflow,
        name=first.name,
        folder=first.folder,
        plan=first.plan,
        digest=first.digest,
        continues=before,
    )


def cut_off(writer: sqlite3.Connection, run: str, *, continues: str | None = None) -> None:
    """A run that was restored, its agent interrupted."""
    first = launched(run) if continues is None else _continuing(run, continues)
    agent = {"run": run, "agent": "api"}
    record(
        writer,
        [
            Batch(
                events=(
                    first,
                    e.DelegationDelegated(**agent),
                    started(run, "api"),
                    e.RunRestored(run=run),
                    e.DelegationStopping(**agent, reason=Reason.INTERRUPTED),
                    e.DelegationStopped(**agent, reason=Reason.INTERRUPTED),
                    finished(run),
                )
            )
        ],
    )


def test_what_a_live_run_continues_is_held(writer: sqlite3.Connection) -> None:
    ended(writer, "first")
    ended(writer, "second", continues="first")
    record(writer, [Batch(events=(_continuing("third", "second"),))])
    ended(writer, "other")
    ship_all(writer)
    assert held_runs(writer) == {"first", "second", "third"}
    record(writer, [Batch(events=(finished("third"),))])
    ship_all(writer)
    assert held_runs(writer) == set()


def test_what_waits_for_a_person_is_held_until_it_is_settled(writer: sqlite3.Connection) -> None:
    ended(writer, "before")
    cut_off(writer, "cut", continues="before")
    ship_all(writer)
    assert held_runs(writer) == {"before", "cut"}
    record(writer, [Batch(events=(e.RunDiscarded(run="cut"),))])
    ship_all(writer)
    assert held_runs(writer) == set()


def test_what_was_taken_up_is_held_as_long_as_that_is_live(writer: sqlite3.Connection) -> None:
    cut_off(writer, "cut")
    record(writer, [Batch(events=(_continuing("resumed", "cut"), e.DelegationDelegated(run="resumed", agent="api")))])
    ship_all(writer)
    assert held_runs(writer) == {"cut", "resumed"}
    record(writer, [Batch(events=(finished("resumed"),))])
    ship_all(writer)
    assert held_runs(writer) == set()


def test_a_run_whose_events_are_not_shipped_is_held(writer: sqlite3.Connection) -> None:
    ended(writer, "r")
    assert held_runs(writer) == {"r"}
    outbox.hand_out(writer, {"hook": {"run.finished"}}, limit=100, now=0)
    assert held_runs(writer) == {"r"}
    (one,) = outbox.lease(writer, "hook", "me", limit=5, seconds=9, now=0)
    outbox.ship(writer, "hook", "me", [one.event.seq])
    assert held_runs(writer) == set()


def test_the_record_as_it_is_decided_on(writer: sqlite3.Connection) -> None:
    ended(writer, "r")
    record(writer, [Batch(events=(launched("s", workflow="/project/other.toml"),))])
    ship_all(writer)
    assert unmeasured(writer, limit=5) == ["r"]
    measure(writer, {"r": 5_000})
    assert unmeasured(writer, limit=5) == []
    one, other = kept_runs(writer)
    assert (one.run, one.workflow, one.seq, one.ended, one.held) == ("r", "/project/ship.toml", 1, 3, False)
    assert one.bytes is not None
    assert 5_500 < one.bytes < 10_000
    assert (other.run, other.ended, other.bytes, other.held) == ("s", None, None, True)


def test_the_estimate_of_rows_is_near_what_the_file_grows_by(writer: sqlite3.Connection) -> None:
    def size() -> int:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(writer.execute("SELECT page_count * 4096 FROM pragma_page_count").fetchone()[0])

    before = size()
    for number in range(60):
        run = f"run-{number}"
        ended(writer, run)
        agents = [f"agent-{index}" for index in range(8)]
        ended(writer, f"{run}-b")
        record(writer, [Batch(events=delegated(f"{run}-c", *agents))])
        record(writer, [Batch(events=(*(started(f"{run}-c", agent) for agent in agents), finished(f"{run}-c")))])
    ship_all(writer)
    grown = size() - before
    measure(writer, dict.fromkeys(unmeasured(writer, limit=1_000), 0))
    (estimate,) = writer.execute("SELECT sum(bytes) FROM runs").fetchone()
    assert 0.5 < estimate / grown < 1.5, estimate / grown
