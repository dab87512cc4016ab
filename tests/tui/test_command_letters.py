"""`midwatch letters`: what nobody took and what was refused, to be looked at, tried again or put away (E6, E7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness import requests
from harness.lock import holder
from harness.requests import Answer
from store import events as e
from store import letters, outbox
from store.ids import now_ms
from store.letters import Letter, find_letter
from store.model import Outcome
from store.outbox import MOST_TRIES
from store.paths import Places
from store.record import Batch, record
from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def undelivered(building: Building, *, ago: int = 0, why: str = "hooks.example.org answered 500") -> Letter:
    """The end of a run that a webhook would not take."""
    building.finished()
    writer, moment = building.connection, now_ms() - ago
    outbox.hand_out(writer, {"webhook": {"run.finished"}}, limit=1_000, now=moment)
    for _ in range(MOST_TRIES):
        (one,) = outbox.lease(writer, "webhook", "me", limit=1, seconds=0, now=moment)
        outbox.fail(writer, "webhook", "me", one.event.seq, why, now=moment, again_at=moment)
    return find_letter(writer, f"{one.event.id}/webhook")


def refused(building: Building) -> Letter:
    """A transition that did not apply."""
    event = e.DelegationAccepted(run=building.launch(), agent="api")
    record(building.connection, [Batch(events=(event,))])
    return find_letter(building.connection, event.id)


def test_without_a_record_there_are_none(midwatch: Midwatch) -> None:
    assert midwatch("letters").out == "no dead letters: everything was taken, and nothing was refused\n"
    assert midwatch("letters", "--json").json == []


def test_each_says_what_who_when_and_why(midwatch: Midwatch, building: Building) -> None:
    older = undelivered(building, ago=3 * 60_000, why="hooks.example.org answered \x1b[2J500")
    newer = refused(building)
    ran = midwatch("letters")
    assert (ran.status, ran.out.splitlines()) == (
        0,
        [
            f"{newer.id}  refused  just now",
            f"  delegation.accepted  agent api  run {str(newer.run)[:8]}",
            "  delegation.accepted does not apply to what is delegated",
            f"{older.id}  not taken by the webhook  3m ago",
            f"  run.finished  run {str(older.run)[:8]}",
            "  hooks.example.org answered 500",
        ],
    )
    assert "`midwatch letters retry ID`" in ran.err


def test_as_json(midwatch: Midwatch, building: Building) -> None:
    letter = undelivered(building)
    (found,) = midwatch("letters", "--json").json
    assert found.pop("at").endswith("Z")
    assert found == {
        "id": letter.id,
        "kind": "undelivered",
        "consumer": "webhook",
        "run": letter.run,
        "agent": None,
        "type": "run.finished",
        "why": "hooks.example.org answered 500",
        "state": "open",
        "data": {"outcome": "completed", "reached_end": True, "why": "because"},
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, building: Building) -> list[str]:
    """What the watch is asked; it does it, as `store.letters` has it."""
    verbs: list[str] = []

    def ask(places: Places, verb: str, body: Mapping[str, Any]) -> Answer:
        assert places.record == building.places.record
        verbs.append(verb)
        change = letters.retry if verb == "retry" else letters.drop
        letter = change(building.connection, body["letter"])
        return Answer(request="request", facts={"letter": letter.id, "state": letter.state})

    monkeypatch.setattr(requests, "ask", ask)
    return verbs


def test_one_is_tried_again(midwatch: Midwatch, building: Building, asked: list[str]) -> None:
    letter = undelivered(building)
    ran = midwatch("letters", "retry", letter.id[:10])
    assert (ran.status, ran.out) == (0, "run.finished is on its way to the webhook again\n")
    assert midwatch("letters", "retry", letter.id, "--json").json == {"id": letter.id, "state": "retried"}
    assert asked == ["retry", "retry"]
    assert outbox.next_due(building.connection, "webhook") == 0
    ran = midwatch("letters", "drop", letter.id)
    assert (ran.status, len(asked)) == (8, 2)
    assert "was tried again, and has not come back" in ran.err


def test_one_is_put_away(midwatch: Midwatch, building: Building, asked: list[str]) -> None:
    letter = refused(building)
    ran = midwatch("letters", "drop", letter.id)
    assert (ran.status, ran.out) == (0, f"the letter {letter.id} is put away\n")
    assert midwatch("letters", "--json").json == []
    ran = midwatch("letters", "retry", letter.id)
    assert (ran.status, asked) == (8, ["drop"])
    assert "was dropped" in ran.err


def test_a_refused_one_that_applies_now(midwatch: Midwatch, building: Building, asked: list[str]) -> None:
    run = building.launch()
    event = e.RunDiscarded(run=run)
    record(building.connection, [Batch(events=(event,))])
    building.done(run, "api", "ui", "tests")
    building.finish(run, Outcome.COMPLETED)
    ran = midwatch("letters", "retry", event.id)
    assert (ran.status, ran.out) == (0, "run.discarded applied now\n")


@pytest.mark.parametrize("verb", ["retry", "drop"])
def test_what_is_not_there_is_not_found_without_a_watch_being_started(
    midwatch: Midwatch, building: Building, verb: str
) -> None:
    ran = midwatch("letters", verb, "zzz")
    assert ran.status == 6
    assert "no dead letter 'zzz'" in ran.err
    assert holder(building.places.watch_lock) is None


def test_a_beginning_that_several_share_is_not_enough(midwatch: Midwatch, building: Building) -> None:
    letter = undelivered(building)
    other = letter.id.replace("webhook", "command")
    building.connection.execute(
        "INSERT INTO dead_letters(id, at, kind, consumer, event, type, data, why)"
        " SELECT ?, at, kind, 'command', event, type, data, why FROM dead_letters",
        (other,),
    )
    ran = midwatch("letters", "drop", letter.id[:12])
    assert ran.status == 2
    assert "2 dead letters begin with" in ran.err


@pytest.mark.parametrize("verb", ["retry", "drop"])
def test_an_agent_may_look_and_not_change(
    midwatch: Midwatch, building: Building, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    letter = undelivered(building)
    monkeypatch.setenv("MIDWATCH_ATTEMPT", "record/attempt")
    assert midwatch("letters").status == 0
    ran = midwatch("letters", verb, letter.id)
    assert ran.status == 8
    assert "is for a person" in ran.err


@pytest.mark.parametrize("words", ["letters sing", "letters retry", "letters drop", "letters retry a b"])
def test_what_makes_no_sense_is_wrong_usage(midwatch: Midwatch, words: str) -> None:
    assert midwatch(*words.split()).status == 2
