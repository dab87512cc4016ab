"""A workflow as its file declares it: what is asked for at launch, the gates of the run, its waves and agents.

The file describes work and carries no history (R2). How it is read stands in `workflow_file`, what a run makes of it
in `workflow_plan`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from store.model import OnFailure, Role, WatchDeath

if TYPE_CHECKING:
    from harness.settings import Settings


class Output(StrEnum):
    """How the standard output of a `command` agent is read."""

    TEXT = "text"  # it is the answer
    REPORTS = "reports"  # each line is a JSON object


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """Something that is asked for at launch."""

    name: str
    prompt: str
    """The question, as the person sees it."""
    multiline: bool = False
    default: str | None = None
    choices: tuple[str, ...] = ()
    """The values that are allowed; empty: any."""
    required: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """What a program that midwatch does not know signs in with: the variable's name, never its value."""

    provider: str
    env: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Defaults:
    """What holds for every agent of the workflow that does not say otherwise."""

    cli: str | None = None
    model: str | None = None
    timeout: float | None = None
    """Seconds of one attempt."""
    no_sign_of_life: float | None = None
    """Seconds of silence after which an attempt counts as stuck (E9)."""
    budget: int | None = None
    """Nano-dollars."""
    max_turns: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The gates of the whole run (U5). `None`: the file says nothing."""

    budget: int | None = None
    """Nano-dollars."""
    deadline: float | None = None
    """Seconds from launch."""
    parallel: int | None = None
    max_turns: int | None = None
    watch_death: WatchDeath = WatchDeath.STOP


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """One agent, the workflow's own defaults filled in. `None`: neither it nor they say anything."""

    name: str
    role: Role
    cli: str
    model: str | None = None
    prompt: str | None = None
    """The template's text, wherever it stood; `None` for a command without one."""
    prompt_file: Path | None = None
    """The file that `prompt` was read from."""
    run: tuple[str, ...] = ()
    """The program and its arguments, for a `cli` whose program the workflow names."""
    output: Output = Output.TEXT
    resume: tuple[str, ...] = ()
    """How a command takes up a session; `{{ session }}` in it stands for the exact id (R17)."""
    reject_on: tuple[int, ...] = (1,)
    """Exit statuses by which a voting command rejects (O10)."""
    credential: Credential | None = None
    allow: tuple[str, ...] = ()
    """Tools it may use without asking, in the words of its CLI."""
    timeout: float | None = None
    no_sign_of_life: float | None = None
    budget: int | None = None
    max_turns: int | None = None
    situation: bool = True
    """Whether the summary of the waves before stands before its prompt (O5)."""
    reporting: bool = True
    """Whether a few lines on how to report stand after it (O11)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wave:
    """Agents that run at the same time; the next wave waits for all of them (O4)."""

    name: str
    agents: tuple[Agent, ...]
    on_failure: OnFailure = OnFailure.CONTINUE


@dataclass(frozen=True, kw_only=True, slots=True)
class Workflow:
    """A valid workflow. Its identity is its path; the name is a label, and two projects may both have a `ship`."""

    name: str
    path: Path
    """Resolved: no links, no relative parts."""
    waves: tuple[Wave, ...]
    digest: str
    """SHA-256 of the file and the prompt files it names (X1)."""
    description: str = ""
    inputs: tuple[Input, ...] = ()
    defaults: Defaults = field(default_factory=Defaults)
    limits: Limits = field(default_factory=Limits)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents, in the order of the file."""
        return tuple(agent for wave in self.waves for agent in wave.agents)

    def agent(self, name: str) -> Agent:
        """The agent of that name; `KeyError` when there is none."""
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(name)


def load_workflow(path: Path, settings: Settings | None = None, *, prompts: bool = True) -> Workflow:
    """The workflow in the file at `path`, checked to the last key; `settings` know CLIs and a default one.

    Raises `WorkflowError` with everything that is wrong with the file. Without `prompts` templates are not looked into
    (and Jinja2 is not imported): enough to list a workflow, not to launch it.
    """
    from harness.settings import Settings
    from harness.workflow_file import read_workflow

    return read_workflow(path, settings or Settings(), prompts=prompts)
