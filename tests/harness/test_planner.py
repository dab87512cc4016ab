"""The planner and the gates: pure, so every run a person can imagine can be played through."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import planner
from harness.admission import admit, gate_of_agent, gate_of_run
from store.model import FINAL_STATES, OnFailure, Reason, Role, RunState, State
from store.plan import Plan, PlannedAgent, PlannedWave
from store.run import Delegation, Run
from store.usage import Totals

NAMES = ("a", "b", "c")


def planned(name: str) -> PlannedAgent:
    return PlannedAgent(name=name, role=Role.DEVELOPER, cli="command")


def wave_of(name: str) -> int:
    return 0 if name in "ab" else 1


def run_of(states: dict[str, State], *, wave: int = 0, gates: OnFailure = OnFailure.CONTINUE) -> Run:
    """Two waves: a and b, then c."""
    plan = Plan(
        waves=(
            PlannedWave(name="first", on_failure=gates, agents=(planned("a"), planned("b"))),
            PlannedWave(name="second", agents=(planned("c"),)),
        )
    )
    return Run(
        id="r",
        workflow="/w.toml",
        name="w",
        folder="/",
        digest="d",
        plan=plan,
        inputs={},
        started_at=1_000,
        wave=wave,
        delegations={
            name: Delegation(
                name=name, wave=0 if name in "ab" else 1, position=0, state=states.get(name, State.DELEGATED)
            )
            for name in NAMES
        },
    )


def test_the_next_wave_waits_for_all_of_this_one() -> None:
    assert planner.next_step(run_of({"a": State.DONE, "b": State.RUNNING})) is None
    assert planner.next_step(run_of({"a": State.DONE, "b": State.FAILED})) == planner.StartWave(wave=1, name="second")


def test_a_run_begins_with_its_first_wave_and_ends_after_its_last() -> None:
    assert planner.next_step(run_of({}, wave=-1)) == planner.StartWave(wave=0, name="first")
    done = run_of(dict.fromkeys(NAMES, State.DONE), wave=1)
    assert planner.next_step(done) == planner.Finish(reached_end=True)
    assert planner.next_step(replace(done, state=RunState.FINISHED)) is None


def test_a_failed_wave_closes_its_gate_only_where_the_workflow_says_so() -> None:
    failed = {"a": State.FAILED, "b": State.DONE}
    step = planner.next_step(run_of(failed, gates=OnFailure.STOP))
    assert isinstance(step, planner.Halt) and step.reason is Reason.WAVE_FAILED and "a" in step.detail
    assert isinstance(planner.next_step(run_of(failed)), planner.StartWave)


@pytest.mark.parametrize(
    ("halted", "because"),
    [(Reason.OPERATOR, Reason.STOPPED), (Reason.BUDGET, Reason.GATE), (Reason.WAVE_FAILED, Reason.WAVE_FAILED)],
)
def test_a_halted_run_starts_nothing_and_waits_for_what_is_at_work(halted: Reason, because: Reason) -> None:
    run = replace(run_of({"a": State.STOPPING}), halted=halted)
    step = planner.next_step(run)
    assert isinstance(step, planner.Abandon) and set(step.agents) == {"b", "c"} and step.reason is because
    left = {"a": State.STOPPING, "b": State.NOT_STARTED, "c": State.NOT_STARTED}
    assert planner.next_step(replace(run_of(left), halted=halted)) is None
    gone = {**left, "a": State.STOPPED}
    assert planner.next_step(replace(run_of(gone), halted=halted)) == planner.Finish(reached_end=False)


def test_a_drained_run_halts_only_when_something_is_left_undone() -> None:
    at_work = replace(run_of({"a": State.RUNNING}), draining_until=9)
    assert planner.next_step(at_work) is None
    idle = replace(run_of({"a": State.DONE}), draining_until=9)
    assert isinstance(planner.next_step(idle), planner.Halt)
    complete = replace(run_of(dict.fromkeys(NAMES, State.DONE), wave=1), draining_until=9)
    assert planner.next_step(complete) == planner.Finish(reached_end=True)


states = st.fixed_dictionaries({name: st.sampled_from(list(State)) for name in NAMES})


@given(states, st.integers(-1, 1), st.sampled_from([None, *Reason]), st.booleans())
def test_nothing_starts_once_a_run_is_halted_and_nothing_finishes_with_agents_at_work(
    found: dict[str, State], wave: int, halted: Reason | None, draining: bool
) -> None:
    run = replace(run_of(found, wave=wave), halted=halted, draining_until=1 if draining else None)
    step = planner.next_step(run)
    if halted is not None or draining:
        assert not isinstance(step, planner.Launch | planner.StartWave)
    if isinstance(step, planner.Launch):
        assert all(found[name] is State.DELEGATED for name in step.agents)
    if isinstance(step, planner.Finish) and halted is not None:
        assert all(state in FINAL_STATES for state in found.values()) and not step.reached_end


@given(states, st.integers(1, 4), st.booleans(), st.sets(st.sampled_from(NAMES)))
def test_no_more_than_parallel_are_ever_at_work(
    found: dict[str, State], parallel: int, paused: bool, held: set[str]
) -> None:
    run = run_of(found)
    delegations = {name: replace(one, held=name in held) for name, one in run.delegations.items()}
    run = replace(run, plan=replace(run.plan, parallel=parallel), delegations=delegations)
    wanting = [name for name in NAMES if found[name] is State.DELEGATED]
    admitted = admit(run, wanting, harness_paused=paused).agents
    busy = [name for name in NAMES if found[name] in (State.RUNNING, State.REVIEW, State.STOPPING)]
    assert not (paused and admitted)
    assert not set(admitted) & held
    assert len(admitted) + len(busy) <= max(parallel, len(busy))


def test_gates_close_on_what_is_known_to_be_spent() -> None:
    run = run_of({})
    spent = replace(run, totals=Totals(cost=2_000, estimated=500, turns=3))
    assert gate_of_run(spent, now=0) is None
    for limits, reason in (({"budget": 2_500}, Reason.BUDGET), ({"max_turns": 3}, Reason.TURNS)):
        closed = gate_of_run(replace(spent, plan=replace(run.plan, **limits)), now=0)
        assert closed is not None and closed.reason is reason
    late = gate_of_run(replace(run, plan=replace(run.plan, deadline=2.0)), now=3_000)
    assert late is not None and late.reason is Reason.DEADLINE
    one = replace(run.delegations["a"], totals=Totals(cost=7, turns=4))
    assert gate_of_agent(planned("a"), one) is None
    closed = gate_of_agent(replace(planned("a"), budget=7), one)
    assert closed is not None and closed.reason is Reason.BUDGET
    assert gate_of_agent(replace(planned("a"), max_turns=4), one) is None
    assert gate_of_agent(replace(planned("a"), max_turns=3), one) is not None
