"""What a run of a workflow is launched to do: its declarations with every default filled in."""

from __future__ import annotations

from harness.cli_names import COMMAND
from harness.settings import Settings
from harness.workflow import Agent, Output, Workflow
from store.plan import Plan, PlannedAgent, PlannedWave


def to_plan(workflow: Workflow, settings: Settings) -> Plan:
    """The plan of a run: an agent's own word goes before its workflow's, and that before the settings'.

    A default model holds for agents of the CLI that stands beside it: `model = "sonnet"` beside `cli = "claude"` says
    nothing about a codex agent. A command has a model only where it names one itself.
    """
    limits = workflow.limits
    return Plan(
        waves=tuple(
            PlannedWave(
                name=wave.name,
                on_failure=wave.on_failure,
                agents=tuple(_planned(agent, settings) for agent in wave.agents),
            )
            for wave in workflow.waves
        ),
        parallel=limits.parallel or settings.defaults.parallel,
        budget=limits.budget,
        max_turns=limits.max_turns,
        deadline=limits.deadline,
        watch_death=limits.watch_death,
    )


def _planned(agent: Agent, settings: Settings) -> PlannedAgent:
    defaults = settings.defaults
    model = agent.model
    if model is None and agent.cli != COMMAND and defaults.cli in (None, agent.cli):
        model = defaults.model
    return PlannedAgent(
        name=agent.name,
        role=agent.role,
        cli=agent.cli,
        model=model,
        metered=agent.cli != COMMAND or agent.output is Output.REPORTS,
        reports=agent.cli == COMMAND and agent.output is Output.REPORTS,
        reject_on=agent.reject_on,
        timeout=agent.timeout or defaults.timeout,
        no_sign_of_life=agent.no_sign_of_life or defaults.no_sign_of_life,
        budget=agent.budget,
        max_turns=agent.max_turns,
    )
