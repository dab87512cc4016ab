"""From the facts of a finished run to one of five outcomes (O1, O2, O7, O8, K6)."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import FINAL_STATES, RUNNING_STATES, WAITING_STATES, Outcome, Reason, Role, State, Verdict
from store.outcome import AgentFacts, Resolution, RunFacts, outcome, reached_end, resolve, tally, why
from store.plan import Plan, PlannedAgent, PlannedWave
from store.run import Delegation, Run

WORST_FIRST = list(Outcome)
FINAL = sorted(FINAL_STATES)


def agent(
    name: str,
    state: State = State.DONE,
    verdict: Verdict | None = None,
    *,
    role: Role = Role.DEVELOPER,
    reason: Reason | None = None,
) -> AgentFacts:
    return AgentFacts(name=name, role=role, state=state, verdict=verdict, reason=reason)


def voter(name: str, state: State = State.DONE, verdict: Verdict | None = None) -> AgentFacts:
    return agent(name, state, verdict, role=Role.REVIEWER)


def run(*agents: AgentFacts, halted: Reason | None = None, detail: str | None = None) -> RunFacts:
    return RunFacts(agents=agents, halted=halted, halted_detail=detail)


GOOD = agent("api")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (agent("x"), Outcome.COMPLETED),
        (agent("x", State.FAILED), Outcome.WITH_FAILURES),
        (agent("x", State.STOPPED, reason=Reason.OPERATOR), Outcome.WITH_FAILURES),
        (agent("x", State.STOPPED, reason=Reason.BUDGET), Outcome.WITH_FAILURES),
        (agent("x", State.NOT_STARTED, reason=Reason.EXPIRED), Outcome.WITH_FAILURES),
        (agent("x", State.FAILED, reason=Reason.USAGE_LIMIT), Outcome.WITH_FAILURES),
        (agent("x", State.BLOCKED), Outcome.BLOCKED),
        (agent("x", State.NOT_STARTED, reason=Reason.USAGE_LIMIT), Outcome.BLOCKED),
        (agent("x", State.NOT_STARTED, reason=Reason.SIGN_IN), Outcome.BLOCKED),
        (agent("x", State.DONE, Verdict.REJECTED), Outcome.COMPLETED),
        (agent("x", State.DONE, Verdict.BLOCKED), Outcome.COMPLETED),
        (voter("x", State.DONE, Verdict.ACCEPTED), Outcome.COMPLETED),
        (voter("x", State.DONE, Verdict.REJECTED), Outcome.NOT_ACCEPTED),
        (voter("x", State.DONE, Verdict.BLOCKED), Outcome.BLOCKED),
        (voter("x", State.DONE), Outcome.BLOCKED),
        (voter("x", State.BLOCKED), Outcome.BLOCKED),
        (voter("x", State.FAILED), Outcome.BLOCKED),
        (voter("x", State.FAILED, Verdict.ACCEPTED), Outcome.BLOCKED),
        (voter("x", State.STOPPED), Outcome.BLOCKED),
        (voter("x", State.NOT_STARTED), Outcome.BLOCKED),
        (voter("x", State.FAILED, Verdict.REJECTED), Outcome.NOT_ACCEPTED),
    ],
)
def test_what_one_agent_does_to_the_outcome(other: AgentFacts, expected: Outcome) -> None:
    assert outcome(run(GOOD, other)) is expected
    assert outcome(run(other)) is expected


@pytest.mark.parametrize("role", list(Role))
def test_only_reviewers_and_testers_have_a_vote(role: Role) -> None:
    votes = role in (Role.REVIEWER, Role.TESTER)
    rejecting, silent = agent("x", verdict=Verdict.REJECTED, role=role), agent("x", role=role)
    assert outcome(run(rejecting)) is (Outcome.NOT_ACCEPTED if votes else Outcome.COMPLETED)
    assert outcome(run(silent)) is (Outcome.BLOCKED if votes else Outcome.COMPLETED)


def test_the_first_that_holds() -> None:
    failed, stuck = agent("a", State.FAILED), agent("b", State.BLOCKED)
    rejecting = voter("c", State.DONE, Verdict.REJECTED)
    assert outcome(run(failed, stuck, rejecting, halted=Reason.BUDGET)) is Outcome.STOPPED
    assert outcome(run(failed, stuck, rejecting)) is Outcome.NOT_ACCEPTED
    assert outcome(run(failed, stuck)) is Outcome.BLOCKED
    assert outcome(run(failed, GOOD)) is Outcome.WITH_FAILURES


@pytest.mark.parametrize("state", sorted(set(State) - FINAL_STATES))
def test_a_run_that_goes_on_has_no_outcome(state: State) -> None:
    with pytest.raises(ValueError, match=f"no outcome while x is {state}"):
        outcome(run(GOOD, agent("x", state)))
    with pytest.raises(ValueError, match="no outcome"):
        outcome(run(agent("x", state), halted=Reason.OPERATOR))


def test_reaching_the_end_is_not_success() -> None:
    assert reached_end(run(agent("a", State.FAILED), agent("b", State.FAILED)))
    assert not reached_end(run(GOOD, halted=Reason.WAVE_FAILED))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (run(GOOD), "its only agent is done"),
        (run(GOOD, voter("review", verdict=Verdict.ACCEPTED)), "all 2 agents are done; review accepted"),
        (
            run(GOOD, agent("ui"), agent("tests", State.FAILED), voter("review", verdict=Verdict.REJECTED)),
            "review rejected; 1 of 4 agents failed: tests",
        ),
        (run(*(agent(one, State.FAILED) for one in "abc")), "all 3 agents failed: a, b and c"),
        (run(agent("a", State.FAILED)), "its only agent failed: a"),
        (run(*(agent(f"a{n}", State.FAILED) for n in range(8))), "all 8 agents failed: a0, a1, a2, a3, a4 and 3 more"),
        (run(GOOD, agent("ui", State.BLOCKED)), "ui could not proceed"),
        (run(GOOD, voter("review")), "review gave no verdict"),
        (run(voter("a", State.BLOCKED), voter("b", verdict=Verdict.BLOCKED)), "a could not proceed; b could not judge"),
        (
            run(GOOD, voter("tests", State.FAILED)),
            "tests gave no verdict; 1 of 2 agents failed: tests",
        ),
        (
            run(GOOD, agent("x", State.NOT_STARTED, reason=Reason.USAGE_LIMIT)),
            "a usage limit was reached; 1 of 2 agents not started: x",
        ),
        (
            run(GOOD, agent("x", State.STOPPED), agent("y", State.NOT_STARTED)),
            "1 of 3 agents stopped: x; 1 of 3 agents not started: y",
        ),
        (run(GOOD, agent("x", State.STOPPED), halted=Reason.OPERATOR), "a person stopped the run"),
        (
            run(GOOD, agent("x", State.FAILED), halted=Reason.BUDGET, detail="the budget\nof $2.00 is spent"),
            "the budget of $2.00 is spent; 1 of 2 agents failed: x",
        ),
        (
            run(voter("r", verdict=Verdict.REJECTED), agent("x", State.STOPPED), halted=Reason.DEADLINE),
            "halted: deadline; r rejected",
        ),
    ],
)
def test_why(facts: RunFacts, sentence: str) -> None:
    assert why(facts) == sentence


def recorded(*delegations: Delegation, halted: Reason | None = None) -> Run:
    agents = (
        PlannedAgent(name="api", role=Role.DEVELOPER, cli="claude"),
        PlannedAgent(name="review", role=Role.REVIEWER, cli="claude"),
    )
    return Run(
        id="r1",
        workflow="/w/ship.toml",
        name="ship",
        folder="/w",
        digest="d",
        plan=Plan(waves=(PlannedWave(name="build", agents=agents[:1]), PlannedWave(name="check", agents=agents[1:]))),
        inputs={},
        started_at=0,
        halted=halted,
        delegations={one.name: one for one in delegations},
    )


def test_a_recorded_run_is_resolved_by_the_roles_of_its_plan() -> None:
    api = Delegation(name="api", wave=0, position=0, state=State.DONE)
    review = Delegation(name="review", wave=1, position=0, state=State.DONE, verdict=Verdict.REJECTED)
    assert resolve(recorded(api, review)) == Resolution(
        outcome=Outcome.NOT_ACCEPTED, reached_end=True, why="review rejected"
    )
    assert resolve(recorded(api, review, halted=Reason.OPERATOR)) == Resolution(
        outcome=Outcome.STOPPED, reached_end=False, why="a person stopped the run; review rejected"
    )


def test_a_planned_check_that_was_never_delegated_leaves_the_run_blocked() -> None:
    found = resolve(recorded(Delegation(name="api", wave=0, position=0, state=State.DONE)))
    assert found.outcome is Outcome.BLOCKED
    assert found.why == "review gave no verdict; 1 of 2 agents not started: review"


AGENTS = st.lists(
    st.builds(
        AgentFacts,
        name=st.sampled_from("abcdefgh"),
        role=st.sampled_from(Role),
        state=st.sampled_from(FINAL),
        reason=st.none() | st.sampled_from(Reason),
        verdict=st.none() | st.sampled_from(Verdict),
    ),
    min_size=1,
    max_size=8,
)
HALTED = st.none() | st.sampled_from(Reason)


@given(AGENTS, HALTED, st.data())
def test_the_order_of_agents_does_not_matter(
    agents: list[AgentFacts], halted: Reason | None, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(agents))
    assert outcome(run(*agents, halted=halted)) is outcome(run(*shuffled, halted=halted))


@given(AGENTS, HALTED, st.data())
def test_a_failure_never_improves_it(agents: list[AgentFacts], halted: Reason | None, data: st.DataObject) -> None:
    before = WORST_FIRST.index(outcome(run(*agents, halted=halted)))
    place = data.draw(st.integers(0, len(agents) - 1))
    turned = [replace(one, state=State.FAILED) if at == place else one for at, one in enumerate(agents)]
    added = [*agents, agent("z", State.FAILED, role=data.draw(st.sampled_from(Role)))]
    assert WORST_FIRST.index(outcome(run(*added, halted=halted))) <= before
    if agents[place].state not in (State.BLOCKED, State.NOT_STARTED):
        assert WORST_FIRST.index(outcome(run(*turned, halted=halted))) <= before


@given(st.lists(st.sampled_from(Role), min_size=1), HALTED)
def test_nobody_done_is_never_completed(roles: list[Role], halted: Reason | None) -> None:
    failed = [agent("a", State.FAILED, role=role) for role in roles]
    assert outcome(run(*failed, halted=halted)) is not Outcome.COMPLETED


@given(AGENTS, st.sampled_from(Reason))
def test_a_halt_is_stopped_whatever_happened(agents: list[AgentFacts], halted: Reason) -> None:
    assert outcome(run(*agents, halted=halted)) is Outcome.STOPPED


@given(AGENTS, HALTED)
def test_completed_means_all_done_and_every_vote_accepts(agents: list[AgentFacts], halted: Reason | None) -> None:
    clean = halted is None and all(
        one.state is State.DONE and (not one.role.votes or one.verdict is Verdict.ACCEPTED) for one in agents
    )
    assert (outcome(run(*agents, halted=halted)) is Outcome.COMPLETED) == clean


@given(AGENTS, HALTED)
def test_why_is_one_line_and_names_who_decided(agents: list[AgentFacts], halted: Reason | None) -> None:
    facts = run(*(replace(one, name=f"{one.name}{at}") for at, one in enumerate(agents[:4])), halted=halted)
    sentence = why(facts)
    assert sentence and "\n" not in sentence
    for one in facts.agents:
        if one.rejected or one.state in (State.FAILED, State.BLOCKED):
            assert one.name in sentence
        if halted is None and one.state is not State.DONE:
            assert one.name in sentence


@given(st.lists(st.sampled_from(State)))
def test_the_tally_counts_every_agent_once(states: list[State]) -> None:
    counted = tally(states)
    assert sum(astuple(counted)) == len(states)
    assert counted.running == sum(state in RUNNING_STATES for state in states)
    assert counted.waiting == sum(state in WAITING_STATES for state in states)
    assert (counted.done, counted.failed) == (states.count(State.DONE), states.count(State.FAILED))
