"""Dead letters: a person sees them, tries them again, or puts them away; nothing of them is deleted (E6, E7)."""

from __future__ import annotations

import sqlite3

import pytest
from story import delegated, finished, launched, started

from store import events as e
from store import outbox
from store.audit import audit_run
from store.errors import AmbiguousLetter, LetterNotFound, LetterStays
from store.letters import Kind, Letter, LetterState, drop, find_letter, open_letters, retry
from store.model import Counts
from store.outbox import MOST_TRIES
from store.record import Batch, record
from store.views import load_run

NOW = 1_000_000


def poison(writer: sqlite3.Connection, consumer: str = "hook", *, now: int = NOW) -> Letter:
    """A letter for the end of a run, which this consumer failed at every time."""
    for _ in range(MOST_TRIES):
        (one,) = outbox.lease(writer, consumer, "me", limit=1, seconds=60, now=now)
        outbox.fail(writer, consumer, "me", one.event.seq, "it hung up", now=now, again_at=now)
    return find_letter(writer, f"{one.event.id}/{consumer}")


@pytest.fixture
def ended(writer: sqlite3.Connection) -> str:
    """A run whose end two consumers are owed."""
    record(writer, [Batch(events=(*delegated("r", "api"), finished("r")))])
    outbox.hand_out(writer, {"hook": {"run.finished"}, "other": {"run.finished"}}, limit=100, now=NOW)
    return "r"


def refused(writer: sqlite3.Connection, event: e.Event) -> Letter:
    (recorded,) = record(writer, [Batch(events=(event,))])
    assert [one.event for one in recorded.refused] == [event]
    return find_letter(writer, event.id)


def test_they_are_listed_newest_first(writer: sqlite3.Connection, ended: str) -> None:
    older = poison(writer, "hook")
    newer = poison(writer, "other", now=NOW + 5)
    assert open_letters(writer) == [newer, older]
    assert open_letters(writer, limit=1) == [newer]


def test_one_is_named_by_its_id_or_a_beginning_of_it(writer: sqlite3.Connection, ended: str) -> None:
    hook, other = poison(writer, "hook"), poison(writer, "other")
    event = hook.id.partition("/")[0]
    assert find_letter(writer, f"{event}/h") == hook
    assert find_letter(writer, other.id) == other
    with pytest.raises(AmbiguousLetter, match="2 dead letters begin with"):
        find_letter(writer, event)
    for nothing in ("", "zzz", "%"):
        with pytest.raises(LetterNotFound, match="no dead letter"):
            find_letter(writer, nothing)


class TestUndelivered:
    def test_tried_again_it_is_owed_again_and_nobody_else_is_told(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        assert retry(writer, letter.id).state is LetterState.RETRIED
        assert open_letters(writer) == []
        (one,) = outbox.lease(writer, "hook", "me", limit=10, seconds=60, now=NOW)
        assert (one.event.seq, one.tries) == (letter.event, 1)
        outbox.ship(writer, "hook", "me", [one.event.seq])
        assert find_letter(writer, letter.id).state is LetterState.RETRIED

    def test_twice_is_once(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        assert retry(writer, letter.id) == retry(writer, letter.id)
        assert len(outbox.lease(writer, "hook", "me", limit=10, seconds=60, now=NOW)) == 1

    def test_one_that_fails_again_is_open_again(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        retry(writer, letter.id)
        again = poison(writer, now=NOW + 9)
        assert (again.id, again.state, again.at) == (letter.id, LetterState.OPEN, NOW + 9)
        assert open_letters(writer) == [again]
        retry(writer, letter.id)
        assert outbox.next_due(writer, "hook") == 0

    def test_dropped_it_is_kept_and_not_tried_again(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        assert drop(writer, letter.id).state is LetterState.DROPPED
        assert drop(writer, letter.id).state is LetterState.DROPPED
        assert open_letters(writer) == []
        with pytest.raises(LetterStays, match="was dropped"):
            retry(writer, letter.id)
        assert outbox.next_due(writer, "hook") is None
        assert find_letter(writer, letter.id).why == "it hung up"

    def test_what_is_on_its_way_is_not_dropped(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        retry(writer, letter.id)
        with pytest.raises(LetterStays, match="tried again"):
            drop(writer, letter.id)
        assert outbox.next_due(writer, "hook") == 0

    def test_without_its_event_there_is_nothing_to_send(self, writer: sqlite3.Connection, ended: str) -> None:
        letter = poison(writer)
        writer.execute("INSERT INTO evicting VALUES('r')")
        writer.execute("DELETE FROM events")
        with pytest.raises(LetterStays, match="not kept any more"):
            retry(writer, letter.id)
        assert find_letter(writer, letter.id).state is LetterState.OPEN


class TestRefused:
    def test_one_that_applies_now_is_recorded(self, writer: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(launched("r"),))])
        letter = refused(writer, e.RunDiscarded(run="r", at=4_711))
        assert (letter.kind, letter.consumer) == (Kind.REFUSED, None)
        record(writer, [Batch(events=(finished("r"),))])
        assert retry(writer, letter.id).state is LetterState.RETRIED
        assert load_run(writer, "r").discarded
        assert audit_run(writer, "r") == []
        assert retry(writer, letter.id).state is LetterState.RETRIED
        assert writer.execute("SELECT count(*) FROM events WHERE type='run.discarded'").fetchone() == (1,)

    def test_one_that_was_applied_when_the_watch_died_is_settled(self, writer: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(launched("r"),))])
        event = e.RunDiscarded(run="r")
        letter = refused(writer, event)
        record(writer, [Batch(events=(finished("r"),)), Batch(events=(event,))])
        assert retry(writer, letter.id).state is LetterState.RETRIED

    def test_one_that_still_does_not_apply_stays(self, writer: sqlite3.Connection) -> None:
        record(writer, [Batch(events=(*delegated("r", "api"), started("r", "api"), finished("r")))])
        event = e.DelegationAccepted(run="r", agent="api")
        letter = refused(writer, event)
        with pytest.raises(LetterStays, match=r"refused again: delegation\.accepted does not apply in a run"):
            retry(writer, letter.id)
        assert open_letters(writer) == [letter]

    def test_what_happens_in_a_live_run_is_for_its_watch_to_say(self, writer: sqlite3.Connection) -> None:
        record(writer, [Batch(events=delegated("r", "api"))])
        early = e.UsageRecorded(run="r", agent="api", attempt=1, counts=Counts(input=1))
        letter = refused(writer, early)
        record(writer, [Batch(events=(started("r", "api"),))])
        with pytest.raises(LetterStays, match="run r is live"):
            retry(writer, letter.id)
        assert load_run(writer, "r").totals.input is None

    def test_nothing_is_launched_from_a_letter(self, writer: sqlite3.Connection) -> None:
        letter = refused(
            writer, e.RunLaunched(run="r", workflow="w\udcc3", name="w", folder="/", plan=e.Plan(waves=()), digest="")
        )
        with pytest.raises(LetterStays, match="nothing is launched from a letter"):
            retry(writer, letter.id)

    def test_one_that_nobody_can_read_stays(self, writer: sqlite3.Connection) -> None:
        letter = refused(writer, e.RunDiscarded(run="r"))
        writer.execute("UPDATE dead_letters SET type='run.sung'")
        with pytest.raises(LetterStays, match="cannot be read by this midwatch"):
            retry(writer, letter.id)

    def test_it_can_be_dropped(self, writer: sqlite3.Connection) -> None:
        letter = refused(writer, e.RunDiscarded(run="r"))
        drop(writer, letter.id)
        assert open_letters(writer) == []
        assert find_letter(writer, letter.id).state is LetterState.DROPPED
