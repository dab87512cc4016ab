"""What a workflow would do, as text to be read before it is launched."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from store.model import OnFailure
from tui.lines import Span
from tui.text import one_line
from tui.wording import dollars, elapsed

if TYPE_CHECKING:
    from harness.workflow import Agent, Workflow


def plan_text(workflow: Workflow, missing: Mapping[str, str]) -> Iterator[Span]:
    """Its description, waves and agents, then its gates. `missing`: by agent, what keeps it from starting here."""
    if workflow.description:
        yield one_line(workflow.description), ""
        yield "", ""
    names = max((len(one_line(agent.name)) for agent in workflow.agents), default=0)
    for number, wave in enumerate(workflow.waves, 1):
        after = "  (a failure here stops the run)" if wave.on_failure is OnFailure.STOP else ""
        yield f"{number} {one_line(wave.name)}{after}", "bold"
        for agent in wave.agents:
            yield f"  {one_line(agent.name):<{names}}  {_what(agent)}", ""
            if agent.name in missing:
                yield f"    {one_line(missing[agent.name])}", "yellow"
    gates = list(_gates(workflow))
    if gates:
        yield "", ""
        yield "Limits", "bold"
        yield from ((f"  {gate}", "") for gate in gates)


def _what(agent: Agent) -> str:
    parts = [str(agent.role)]
    if agent.role.votes:
        parts[0] += " (has a vote)"
    parts.append(one_line(agent.cli if agent.model is None else f"{agent.cli} {agent.model}"))
    if agent.run:
        parts.append(one_line(shlex.join(agent.run)))
    if agent.budget is not None:
        parts.append(f"at most {dollars(agent.budget)}")
    return "  ".join(parts)


def _gates(workflow: Workflow) -> Iterator[str]:
    limits = workflow.limits
    if limits.budget is not None:
        yield f"at most {dollars(limits.budget)} in all"
    if limits.deadline is not None:
        yield f"at most {elapsed(int(limits.deadline * 1000))}"
    if limits.max_turns is not None:
        yield f"at most {limits.max_turns} turns"
    if limits.parallel is not None:
        yield f"{limits.parallel} agents at once"
