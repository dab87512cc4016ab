"""Recording: event, state, outbox and request together; what does not apply is refused and kept (E2, E5, E6)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from story import finished, launched, way_to

from store import events as e
from store import inbox
from store.database import open_requester
from store.model import Counts, State
from store.record import Batch, Handled, Recorded, record
from store.views import harness_paused, load_run


def count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_event_state_and_outbox_row_are_there_together(writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    launch, delegated = launched("r"), e.DelegationDelegated(run="r", agent="api", at=7)
    (recorded,) = record(writer, [Batch(events=(launch, delegated))])
    assert recorded == Recorded(applied=(launch, delegated))
    assert reader.execute("SELECT seq, id, at, run, agent, type, from_state, to_state, data FROM events").fetchall()[
        1:
    ] == [(2, delegated.id, 7, "r", "api", "delegation.delegated", None, "delegated", "{}")]
    assert reader.execute("SELECT seq FROM outbox ORDER BY seq").fetchall() == [(1,), (2,)]
    assert load_run(reader, "r").delegations["api"].state is State.DELEGATED


def test_what_is_refused_is_kept_and_the_rest_of_the_batch_stands(writer: sqlite3.Connection) -> None:
    early = e.DelegationReported(run="r", agent="api", attempt=1, answer_bytes=3)
    delegated = e.DelegationDelegated(run="r", agent="api")
    (recorded,) = record(writer, [Batch(events=(launched("r"), early, delegated))])
    assert [event.type for event in recorded.applied] == ["run.launched", "delegation.delegated"]
    ((kind, letter, run, agent, event, data, why, state),) = writer.execute(
        "SELECT kind, id, run, agent, type, data, why, state FROM dead_letters"
    )
    assert (kind, letter, run, agent, event, state) == ("refused", early.id, "r", "api", early.type, "open")
    assert json.loads(data) == {"attempt": 1, "answer_bytes": 3}
    assert why == recorded.refused[0].why == "delegation.reported does not apply to what is unknown to the record"


def test_a_failure_stands_whatever_comes_after_it(writer: sqlite3.Connection) -> None:
    """O3, in the order that used to lose it: failed first, the completion late."""
    late = (e.DelegationReported(run="r", agent="api", attempt=1), e.DelegationAccepted(run="r", agent="api"))
    _, recorded = record(writer, [Batch(events=(launched("r"), *way_to(State.FAILED, "r", "api"))), Batch(events=late)])
    assert not recorded.applied
    assert load_run(writer, "r").delegations["api"].state is State.FAILED


def test_an_event_is_recorded_once(writer: sqlite3.Connection) -> None:
    hold, usage = (
        e.DelegationPaused(run="r", agent="api"),
        e.UsageRecorded(run="r", agent="ui", attempt=1, turns=1, counts=Counts(input=5)),
    )
    begin = (launched("r"), *way_to(State.DELEGATED, "r", "api"), *way_to(State.RUNNING, "r", "ui"))
    first, twice, again = record(
        writer,
        [
            Batch(events=begin),
            Batch(events=(hold, usage, hold, usage)),
            Batch(events=(begin[0], begin[1], hold, usage)),
        ],
    )
    assert first.applied == begin
    assert twice == Recorded(applied=(hold, usage))
    assert again == Recorded()
    assert count(writer, "events") == len(begin) + 2
    assert count(writer, "dead_letters") == 0
    assert load_run(writer, "r").totals.input == 5


def test_what_was_refused_may_apply_later(writer: sqlite3.Connection) -> None:
    reported = e.DelegationReported(run="r", agent="api", attempt=1)
    refused, _, applied = record(
        writer,
        [
            Batch(events=(reported,)),
            Batch(events=(launched("r"), *way_to(State.RUNNING, "r", "api"))),
            Batch(events=(reported,)),
        ],
    )
    assert [refusal.event for refusal in refused.refused] == list(applied.applied) == [reported]


def test_a_request_is_answered_in_the_transaction_of_its_effect(writer: sqlite3.Connection, path: Path) -> None:
    with closing(open_requester(path)) as requester:
        request = inbox.put(requester, "pause", {"run": "r"}, expires=False)
    record(writer, [Batch(events=(launched("r"),))])
    paused = e.RunPaused(run="r")
    answer = Handled(request=request, answer={"said": "é\udcff"})
    (recorded,) = record(writer, [Batch(events=(paused,), handled=answer)])
    assert recorded == Recorded(applied=(paused,))
    found = inbox.get(writer, request)
    assert found is not None
    assert (found.state, found.answer) == ("handled", {"said": "é\udcff"})
    assert inbox.waiting(writer) == []


@pytest.mark.parametrize("state", ["handled", "refused", "expired"])
def test_a_request_has_its_effect_once(writer: sqlite3.Connection, path: Path, state: str) -> None:
    with closing(open_requester(path)) as requester:
        request = inbox.put(requester, "pause", {"run": "r"}, expires=False)
    record(writer, [Batch(events=(launched("r"),)), Batch(handled=Handled(request=request, state=state))])
    (again,) = record(writer, [Batch(events=(e.RunPaused(run="r"),), handled=Handled(request=request))])
    assert again == Recorded(stale=True)
    assert not load_run(writer, "r").paused
    assert count(writer, "dead_letters") == 0


def test_a_request_that_nobody_made_has_no_effect(writer: sqlite3.Connection) -> None:
    (recorded,) = record(writer, [Batch(events=(launched("r"),), handled=Handled(request="no such request"))])
    assert recorded == Recorded(stale=True)
    assert count(writer, "events") == 0


def test_a_stale_batch_leaves_the_others_of_its_commit_alone(writer: sqlite3.Connection) -> None:
    one, two, three = record(
        writer,
        [
            Batch(events=(launched("r"),)),
            Batch(events=(e.RunPaused(run="r"),), handled=Handled(request="no such request")),
            Batch(events=(e.RunDraining(run="r", until=5),)),
        ],
    )
    assert (len(one.applied), two.stale, len(three.applied)) == (1, True, 1)


def test_a_hold_on_everything_is_a_fact_without_a_run(writer: sqlite3.Connection) -> None:
    assert not harness_paused(writer)
    record(writer, [Batch(events=(e.HarnessPaused(),))])
    assert harness_paused(writer)
    record(writer, [Batch(events=(e.HarnessUnpaused(),))])
    assert not harness_paused(writer)
    assert count(writer, "events") == count(writer, "outbox") == 2


def test_a_finished_run_keeps_how_it_ended(writer: sqlite3.Connection) -> None:
    record(writer, [Batch(events=(launched("r"), finished("r"), e.RunDiscarded(run="r")))])
    run = load_run(writer, "r")
    assert (run.live, run.outcome, run.reached_end, run.ended_at, run.discarded) == (
        False,
        "completed",
        True,
        9_000,
        True,
    )
