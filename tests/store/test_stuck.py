"""The sweeper's query and a person's list: by heartbeat and deadline in the record (E9)."""

from __future__ import annotations

import sqlite3

import pytest
from story import launched

from store import events as e
from store.model import State
from store.record import Batch, record
from store.stuck import at_work, overdue, stuck_work
from store.vitals import VitalsRow, write_vitals


@pytest.fixture
def run(writer: sqlite3.Connection) -> str:
    """A run with two agents at work; nobody has looked at them yet."""
    events: list[e.Event] = [launched("r")]
    for position, agent in enumerate(("api", "ui")):
        events.append(e.DelegationDelegated(run="r", agent=agent, position=position))
        events.append(e.DelegationStarted(run="r", agent=agent, attempt=1, attempt_id=agent, cli="claude"))
    record(writer, [Batch(events=events)])
    return "r"


def look(
    writer: sqlite3.Connection, agent: str, *, sign: int, silent_by: int | None = None, deadline: int | None = None
) -> None:
    row = VitalsRow(
        run="r", agent=agent, at=100, sign_of_life=sign, cpu=None, memory=None, silent_by=silent_by, deadline=deadline
    )
    write_vitals(writer, [row])


@pytest.mark.parametrize(
    ("silent_by", "deadline", "stuck_at"), [(300, None, 300), (None, 200, 200), (300, 200, 200), (200, 300, 200)]
)
def test_whichever_time_is_over_first(
    writer: sqlite3.Connection, run: str, silent_by: int | None, deadline: int | None, stuck_at: int
) -> None:
    look(writer, "api", sign=50, silent_by=silent_by, deadline=deadline)
    look(writer, "ui", sign=50)
    assert overdue(writer, stuck_at - 1) == []
    assert [(one.run, one.agent) for one in overdue(writer, stuck_at)] == [(run, "api")]


def test_what_has_ended_or_is_ending_is_not_swept(writer: sqlite3.Connection, run: str) -> None:
    for agent in ("api", "ui"):
        look(writer, agent, sign=50, silent_by=60)
    assert [one.agent for one in overdue(writer, 100)] == ["api", "ui"]
    record(writer, [Batch(events=(e.DelegationFailed(run=run, agent="api", detail="no"),))])
    assert [one.agent for one in overdue(writer, 100)] == ["ui"]


def test_a_person_sees_what_has_been_silent_for_a_while(writer: sqlite3.Connection, run: str) -> None:
    look(writer, "api", sign=50, silent_by=1_000)
    look(writer, "ui", sign=90, silent_by=1_000)
    assert stuck_work(writer, now=100, silent_since=40) == []
    (found,) = stuck_work(writer, now=100, silent_since=60)
    assert (found.run, found.agent, found.state, found.silent_by) == (run, "api", State.RUNNING, 1_000)
    assert [one.agent for one in stuck_work(writer, now=1_000, silent_since=60)] == ["api", "ui"]


def test_without_a_look_it_is_at_work_all_the_same(writer: sqlite3.Connection, run: str) -> None:
    look(writer, "api", sign=50)
    assert {(one.agent, one.sign_of_life) for one in at_work(writer)} == {("api", 50), ("ui", None)}
