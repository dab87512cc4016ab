"""What a run is launched to do, every default filled in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.settings import AgentDefaults, Settings
from harness.workflow import Agent, Limits, Output, Wave, Workflow, load_workflow
from harness.workflow_plan import to_plan
from store.encoding import decode_plan, encode_plan
from store.model import OnFailure, Role, WatchDeath
from store.plan import Plan, PlannedAgent, PlannedWave

WORKFLOWS = Path(__file__).parent / "workflows"


def one_agent(agent: Agent, limits: Limits | None = None) -> Workflow:
    wave = Wave(name="one", agents=(agent,))
    return Workflow(name="w", path=Path("/w.toml"), waves=(wave,), digest="", limits=limits or Limits())


def planned(agent: Agent, defaults: AgentDefaults | None = None) -> PlannedAgent:
    return to_plan(one_agent(agent), Settings(defaults=defaults or AgentDefaults())).agent(agent.name)


CODER = Agent(name="a", role=Role.DEVELOPER, cli="claude", prompt="x")
PROGRAM = Agent(name="a", role=Role.TESTER, cli="command", run=("x",))


def test_the_plan_of_the_contracts_workflow() -> None:
    def agent(name: str, role: Role, cli: str, model: str | None = None, *, metered: bool = True) -> PlannedAgent:
        return PlannedAgent(
            name=name,
            role=role,
            cli=cli,
            model=model,
            metered=metered,
            timeout=1_800.0,
            no_sign_of_life=1_800.0,
            budget=2_500_000_000,
            max_turns=60,
        )

    api, ui = agent("api", Role.DEVELOPER, "claude", "sonnet"), agent("ui", Role.DEVELOPER, "codex")
    tests = agent("tests", Role.TESTER, "command", metered=False)
    review = agent("review", Role.REVIEWER, "claude", "sonnet")
    assert to_plan(load_workflow(WORKFLOWS / "ship.toml"), Settings()) == Plan(
        waves=(PlannedWave(name="build", agents=(api, ui)), PlannedWave(name="check", agents=(tests, review))),
        parallel=4,
        budget=20_000_000_000,
        max_turns=400,
        deadline=28_800.0,
        watch_death=WatchDeath.STOP,
    )


def test_a_plan_survives_being_recorded() -> None:
    plan = to_plan(load_workflow(WORKFLOWS / "everything.toml"), Settings())
    assert decode_plan(encode_plan(plan)) == plan
    assert plan.waves[0].on_failure is OnFailure.STOP
    assert plan.watch_death is WatchDeath.FINISH


def test_an_agents_own_word_goes_before_the_settings() -> None:
    settings = AgentDefaults(cli="claude", model="opus", timeout=5.0, no_sign_of_life=6.0, parallel=3)
    silent = planned(CODER, settings)
    assert (silent.model, silent.timeout, silent.no_sign_of_life) == ("opus", 5.0, 6.0)

    loud = planned(replace(CODER, model="haiku", timeout=1.0, no_sign_of_life=2.0), settings)
    assert (loud.model, loud.timeout, loud.no_sign_of_life) == ("haiku", 1.0, 2.0)

    assert to_plan(one_agent(CODER), Settings(defaults=settings)).parallel == 3
    assert to_plan(one_agent(CODER, Limits(parallel=1)), Settings(defaults=settings)).parallel == 1


def test_what_holds_when_nobody_says_anything() -> None:
    plan = to_plan(one_agent(CODER), Settings())
    assert plan == Plan(
        waves=(
            PlannedWave(
                name="one",
                agents=(
                    PlannedAgent(name="a", role=Role.DEVELOPER, cli="claude", timeout=3_600.0, no_sign_of_life=1_800.0),
                ),
            ),
        ),
        parallel=8,
    )


def test_a_model_by_default_is_for_the_cli_beside_it() -> None:
    assert planned(CODER, AgentDefaults(model="opus")).model == "opus"
    assert planned(CODER, AgentDefaults(cli="codex", model="gpt")).model is None
    assert planned(PROGRAM, AgentDefaults(model="opus")).model is None


def test_a_plain_program_spends_nothing_and_one_that_reports_may() -> None:
    assert (planned(PROGRAM).metered, planned(PROGRAM).reports) == (False, False)
    reporting = planned(replace(PROGRAM, output=Output.REPORTS, reject_on=(3, 4)))
    assert (reporting.metered, reporting.reports, reporting.reject_on) == (True, True, (3, 4))
    assert (planned(CODER).metered, planned(CODER).reports) == (True, False)
