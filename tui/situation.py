"""What is under the hand on the main screen, and why an action is not possible there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from store.model import WAITING_STATES, RunStatus, State

if TYPE_CHECKING:
    from store.model import Outcome
    from store.run import Delegation, Run
    from tui.widgets.workflows import WorkflowRow


class Pane(StrEnum):
    """Where the hand is on the main screen, from the outside in."""

    WORKFLOWS = "workflows"
    RUNS = "runs"
    AGENTS = "agents"
    OUTPUT = "output"


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """What is under the hand, which decides what is possible."""

    pane: Pane
    workflow: WorkflowRow | None = None
    run: Run | None = None
    state: Outcome | RunStatus | None = None
    """How that run stands."""
    agent: Delegation | None = None
    searching: bool = False
    """Whether a search or filter holds in this pane."""

    @property
    def of_agent(self) -> bool:
        """Whether a verb means the agent rather than its run."""
        return self.pane in (Pane.AGENTS, Pane.OUTPUT) and self.agent is not None


When = Callable[[Situation], str | None]
"""Why an action is not possible in a situation; `None` when it is."""


def needs_nothing(_: Situation) -> str | None:
    """Possible everywhere."""
    return None


def needs_run(here: Situation) -> str | None:
    """Needs a run, whatever became of it."""
    return "no run is selected" if here.run is None else None


def needs_live_run(here: Situation) -> str | None:
    """Needs a live run."""
    if here.run is None:
        return "no run is selected"
    return None if here.run.live else f"that run has finished: {here.state}"


def may_stop(here: Situation) -> str | None:
    """Needs a live run, and an agent of it that has not ended if one is meant."""
    if here.of_agent and here.run is not None and here.run.live and here.agent is not None:
        if here.agent.state is State.STOPPING:
            return f"{here.agent.name} is being stopped already"
        if here.agent.final:
            return f"{here.agent.name} is {str(here.agent.state).replace('_', ' ')} already; S stops the whole run"
    return needs_live_run(here)


def may_drain(here: Situation) -> str | None:
    """Needs a live run that is not draining."""
    reason = needs_live_run(here)
    return reason or ("that run is draining already" if here.state is RunStatus.DRAINING else None)


def may_pause(here: Situation) -> str | None:
    """Needs a live run, and a waiting agent if one is meant."""
    reason = needs_live_run(here)
    if reason is None and here.of_agent and here.agent is not None and here.agent.state not in WAITING_STATES:
        return f"{here.agent.name} has started; only what has not started can be held"
    return reason


def may_launch(here: Situation) -> str | None:
    """Needs a workflow with a valid file."""
    if here.workflow is None:
        return "there is no workflow to launch; ? says where they are put"
    if here.workflow.path is None:
        return "choose a workflow first"
    return here.workflow.error


def needs_attempt(here: Situation) -> str | None:
    """Needs an agent that has started."""
    if here.agent is None:
        return "no agent is selected"
    return None if here.agent.attempts else f"{here.agent.name} has not started, so there is no journal"


def may_go_in(here: Situation) -> str | None:
    """Needs something to go into."""
    if here.pane is Pane.OUTPUT:
        return "this is the innermost place; escape leads back"
    if here.pane is Pane.WORKFLOWS and here.workflow is None:
        return "there is no workflow yet; ? says where they are put"
    if here.pane is Pane.RUNS and here.run is None:
        return "there is no run yet; n launches the workflow"
    return None


def needs_search(here: Situation) -> str | None:
    """Needs a search in the output."""
    if here.pane is not Pane.OUTPUT:
        return "this is for the output of an agent"
    return None if here.searching else "nothing is searched for; / begins"
