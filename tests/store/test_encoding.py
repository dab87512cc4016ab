"""Events as JSON text and back."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from story import PLAN, launched

from store import events as e
from store.encoding import EVENT_TYPES, decode, encode
from store.model import Counts, Role
from store.plan import Plan, PlannedAgent, PlannedWave
from store.plan_encoding import decode_plan, encode_plan

# The contract: these names are stored for ever. More may be added; none is renamed.
NAMES = frozenset(
    {
        "harness.paused",
        "harness.unpaused",
        "run.launched",
        "run.paused",
        "run.unpaused",
        "run.draining",
        "run.stopping",
        "run.finished",
        "run.restored",
        "run.discarded",
        "wave.started",
        "wave.finished",
        "delegation.refining",
        "delegation.delegated",
        "delegation.paused",
        "delegation.unpaused",
        "delegation.started",
        "delegation.reported",
        "delegation.accepted",
        "delegation.failed",
        "delegation.blocked",
        "delegation.stopping",
        "delegation.stopped",
        "delegation.not_started",
        "attempt.started",
        "attempt.named",
        "attempt.ended",
        "usage.recorded",
    }
)

SECONDS = st.floats(min_value=0, max_value=1e9)
AGENTS = st.builds(
    PlannedAgent,
    **{name: ... for name in get_type_hints(PlannedAgent) if name not in ("timeout", "no_sign_of_life")},
    timeout=st.none() | SECONDS,
    no_sign_of_life=st.none() | SECONDS,
)
WAVES = st.builds(PlannedWave, name=..., on_failure=..., agents=st.lists(AGENTS, max_size=3).map(tuple))
PLANS = st.builds(
    Plan,
    waves=st.lists(WAVES, max_size=3).map(tuple),
    parallel=...,
    budget=...,
    max_turns=...,
    deadline=st.none() | SECONDS,
    watch_death=...,
)


def any_event(kind: type[e.Event]) -> st.SearchStrategy[e.Event]:
    """Events of this class with anything its annotations allow in every field, those with a default too."""
    given_by_type: dict[str, Any] = {item.name: ... for item in fields(kind)}
    if "plan" in given_by_type:
        given_by_type["plan"] = PLANS
    return st.builds(kind, **given_by_type)


def written_and_read(event: e.Event) -> e.Event:
    return decode(type=event.type, id=event.id, at=event.at, run=event.run, agent=event.agent, data=encode(event))


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
@given(data=st.data())
def test_every_event_comes_back_as_it_was(kind: str, data: st.DataObject) -> None:
    event = data.draw(any_event(EVENT_TYPES[kind]))
    back = written_and_read(event)
    assert back == event
    assert type(back) is type(event)


@given(plan=PLANS)
def test_a_plan_comes_back_as_it_was(plan: Plan) -> None:
    assert decode_plan(json.loads(json.dumps(encode_plan(plan)))) == plan


def test_no_name_of_the_contract_is_gone() -> None:
    assert set(EVENT_TYPES) >= NAMES


def test_what_holds_by_default_is_not_written_down() -> None:
    assert encode(e.RunPaused(run="r")) == "{}"
    assert encode(e.DelegationReported(run="r", agent="a", attempt=1)) == '{"attempt":1}'
    assert encode_plan(Plan(waves=())) == {"waves": []}


def test_zero_is_not_unknown() -> None:
    event = e.UsageRecorded(run="r", agent="a", attempt=1, counts=Counts(input=0))
    assert json.loads(encode(event))["counts"] == {"input": 0}


def test_keys_of_a_later_midwatch_are_passed_over() -> None:
    coded = json.loads(encode(launched("r")))
    coded["later"] = coded["plan"]["later"] = coded["plan"]["waves"][0]["later"] = 1
    coded["plan"]["waves"][0]["agents"][0]["later"] = 1
    event = decode(type="run.launched", id="i", at=1, run="r", agent=None, data=json.dumps(coded))
    assert isinstance(event, e.RunLaunched)
    assert event.plan == PLAN
    usage = decode(
        type="usage.recorded",
        id="i",
        at=1,
        run="r",
        agent="a",
        data='{"attempt":1,"counts":{"input":3,"later":4},"later":5}',
    )
    assert usage == e.UsageRecorded(id="i", at=1, run="r", agent="a", attempt=1, counts=Counts(input=3))


def test_keys_that_an_earlier_midwatch_did_not_write_hold_their_default() -> None:
    event = decode(type="attempt.ended", id="i", at=1, run="r", agent="a", data='{"attempt":1}')
    assert event == e.AttemptEnded(id="i", at=1, run="r", agent="a", attempt=1)
    plan = decode_plan({"waves": [{"name": "w", "agents": [{"name": "a", "role": "tester", "cli": "command"}]}]})
    assert plan.waves[0].agents[0] == PlannedAgent(name="a", role=Role.TESTER, cli="command")


def test_a_type_of_a_later_midwatch_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        decode(type="run.teleported", id="i", at=1, run="r", agent=None, data="{}")


def test_half_of_a_surrogate_pair_is_kept() -> None:
    event = e.DelegationFailed(run="r", agent="a", detail="caf\udcc3 and é")
    assert encode(event).encode() == b'{"detail":"caf\\udcc3 and \xc3\xa9"}'
    assert written_and_read(event) == event
