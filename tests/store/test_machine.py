"""The machine: every pair of state and event, the allowed ones from the design and all the others refused (E1, E6)."""

from __future__ import annotations

import sqlite3
from itertools import product

import pytest
from story import PLAN, delegation_event, finished, launched, run_event, way_to

from store import events as e
from store.encoding import EVENT_TYPES
from store.machine import DELEGATION, RUN, next_delegation_state, next_run_state
from store.model import FINAL_STATES, RunState, State
from store.record import Batch, Refusal, record

# "refining → delegated → running → review → done", its ends, and a hold on what waits: written out once more, so that a
# change of the table is meant.
WAYS: dict[str, dict[str, list[str | None]]] = {
    "refining": {"refining": [None]},
    "delegated": {"delegated": [None, "refining"]},
    "retrying": {"delegated": ["running"]},
    "paused": {"delegated": ["delegated"]},
    "unpaused": {"delegated": ["delegated"]},
    "started": {"running": ["delegated"]},
    "reported": {"review": ["running"]},
    "accepted": {"done": ["review"]},
    "failed": {"failed": ["running", "review"]},
    "blocked": {"blocked": ["running", "review"]},
    "stopping": {"stopping": ["delegated", "running", "review"]},
    "stopped": {"stopped": ["refining", "stopping"]},
    "not_started": {"not_started": ["delegated"]},
}
EXPECTED = {
    (None if before is None else State(before), f"delegation.{event}"): State(after)
    for event, ways in WAYS.items()
    for after, befores in ways.items()
    for before in befores
}
OF_DELEGATION = sorted(kind for kind in EVENT_TYPES if kind.startswith("delegation."))
OF_RUN = sorted(kind for kind in EVENT_TYPES if kind.startswith("run."))
STATES: tuple[State | None, ...] = (None, *State)


def state_of(connection: sqlite3.Connection, run: str, agent: str) -> str | None:
    row = connection.execute("SELECT state FROM delegations WHERE run=? AND agent=?", (run, agent)).fetchone()
    return None if row is None else str(row[0])


def test_the_table_says_what_the_design_says() -> None:
    assert dict(DELEGATION) == EXPECTED


def test_every_event_of_a_delegation_or_a_run_is_in_a_table() -> None:
    assert {event for _, event in DELEGATION} == set(OF_DELEGATION)
    assert {event for _, event in RUN} == set(OF_RUN)


def test_nothing_leaves_a_final_state() -> None:
    assert {state for state in State if not any(before is state for before, _ in DELEGATION)} == FINAL_STATES
    assert all(next_run_state(RunState.FINISHED, kind) in (None, RunState.FINISHED) for kind in OF_RUN)


@pytest.mark.parametrize(("state", "kind"), list(product(STATES, OF_DELEGATION)))
def test_each_event_from_each_state(writer: sqlite3.Connection, state: State | None, kind: str) -> None:
    event = delegation_event(kind, "r", "api")
    prelude, recorded = record(
        writer, [Batch(events=(launched("r"), *way_to(state, "r", "api"))), Batch(events=(event,))]
    )
    assert not prelude.refused
    leads_to = EXPECTED.get((state, kind))
    assert next_delegation_state(state, kind) is leads_to
    if leads_to is None:
        assert recorded.refused == (Refusal(event=event, why=recorded.refused[0].why),)
        assert "does not apply" in recorded.refused[0].why
        assert state_of(writer, "r", "api") == state
    else:
        assert recorded.applied == (event,)
        assert state_of(writer, "r", "api") == leads_to
        moved = writer.execute("SELECT from_state, to_state FROM events WHERE id=?", (event.id,)).fetchone()
        assert moved == (state, leads_to)


@pytest.mark.parametrize("kind", OF_RUN)
@pytest.mark.parametrize("state", [None, RunState.LIVE, RunState.FINISHED])
def test_each_event_of_a_run_from_each_state(writer: sqlite3.Connection, state: RunState | None, kind: str) -> None:
    way: dict[RunState | None, tuple[e.Event, ...]] = {
        None: (),
        RunState.LIVE: (launched("r"),),
        RunState.FINISHED: (launched("r"), finished("r")),
    }
    before, now = record(writer, [Batch(events=way[state]), Batch(events=(run_event(kind, "r"),))])
    assert not before.refused
    within = ("paused", "unpaused", "draining", "stopping", "restored")
    expected: dict[tuple[str | None, str], str] = {(RunState.LIVE, f"run.{word}"): "live" for word in within}
    expected[None, "run.launched"] = "live"
    expected[RunState.LIVE, "run.finished"] = expected[RunState.FINISHED, "run.discarded"] = "finished"
    leads_to = expected.get((state, kind))
    assert bool(now.applied) is (leads_to is not None)
    row = writer.execute("SELECT state FROM runs WHERE id='r'").fetchone()
    assert (None if row is None else row[0]) == (leads_to or state)


@pytest.mark.parametrize("kind", OF_DELEGATION)
@pytest.mark.parametrize("life", ["unknown", "finished"])
def test_nothing_happens_to_an_agent_of_a_run_that_is_not_live(
    writer: sqlite3.Connection, kind: str, life: str
) -> None:
    if life == "finished":
        (before,) = record(
            writer, [Batch(events=(launched("r"), e.DelegationDelegated(run="r", agent="api"), finished("r")))]
        )
        assert not before.refused
    (recorded,) = record(writer, [Batch(events=(delegation_event(kind, "r", "api"),))])
    assert life in recorded.refused[0].why
    assert state_of(writer, "r", "api") == ("delegated" if life == "finished" else None)


def test_a_wave_only_moves_in_a_live_run(writer: sqlite3.Connection) -> None:
    wave = PLAN.waves[0].name
    early, begun, ended = record(
        writer,
        [
            Batch(events=(e.WaveStarted(run="r", wave=0, name=wave),)),
            Batch(events=(launched("r"), e.WaveStarted(run="r", wave=0, name=wave))),
            Batch(events=(finished("r"), e.WaveFinished(run="r", wave=0, name=wave))),
        ],
    )
    assert len(early.refused) == 1
    assert len(begun.applied) == 2
    assert [refusal.event.type for refusal in ended.refused] == ["wave.finished"]


@pytest.mark.parametrize(
    "event",
    [
        e.AttemptStarted(run="r", agent="api", attempt=2, pid=1, start_ticks=1, boot="b", namespace=1),
        e.AttemptNamed(run="r", agent="api", attempt=2, session="s"),
        e.AttemptEnded(run="r", agent="api", attempt=2),
        e.UsageRecorded(run="r", agent="api", attempt=2, turns=1),
        e.UsageRecorded(run="r", agent=None, attempt=1, turns=1),
        e.UsageRecorded(run=None, agent="api", attempt=1, turns=1),
    ],
    ids=lambda event: f"{event.type}-{event.agent}-{event.attempt}",
)
def test_an_attempt_that_the_record_does_not_know(writer: sqlite3.Connection, event: e.Event) -> None:
    _, recorded = record(
        writer, [Batch(events=(launched("r"), *way_to(State.RUNNING, "r", "api"))), Batch(events=(event,))]
    )
    assert "does not know" in recorded.refused[0].why


def test_an_ended_attempt_still_takes_usage_and_nothing_else(writer: sqlite3.Connection) -> None:
    ended = e.AttemptEnded(run="r", agent="api", attempt=1, exit_code=0)
    late = (
        e.AttemptEnded(run="r", agent="api", attempt=1, exit_code=1),
        e.AttemptNamed(run="r", agent="api", attempt=1, session="s"),
        e.UsageRecorded(run="r", agent="api", attempt=1, turns=1),
    )
    _, recorded = record(
        writer, [Batch(events=(launched("r"), *way_to(State.RUNNING, "r", "api"), ended)), Batch(events=late)]
    )
    assert [refusal.event for refusal in recorded.refused] == list(late[:2])
    assert recorded.applied == late[2:]


@pytest.mark.parametrize(
    "event", [e.RunPaused(), e.DelegationDelegated(agent="api"), e.WaveStarted(wave=0, name="build")]
)
def test_an_event_that_names_no_run(writer: sqlite3.Connection, event: e.Event) -> None:
    (recorded,) = record(writer, [Batch(events=(event,))])
    assert len(recorded.refused) == 1
    assert writer.execute("SELECT count(*) FROM events").fetchone() == (0,)
