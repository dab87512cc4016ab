"""Which programs of a workflow are not to be found from here, before anything of it starts.

Looked for as a keeper will look: on the PATH of the launching terminal, a path from the folder of the run. What a later
wave names by a path may be made by an earlier one, so that it is missing now keeps nothing from starting.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.cli_names import GIVEN_BY_RUN
from harness.errors import RefusedError
from harness.nearest import harmless
from harness.settings import Settings
from harness.workflow import Agent, Workflow


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """A program that an agent needs and that is not there. `later`: an earlier wave may still make it."""

    agent: str
    sentence: str
    later: bool


def missing_programs(workflow: Workflow, settings: Settings, env: Mapping[str, str], folder: Path) -> list[Missing]:
    """What is missing for an environment and a folder, in the order of the file."""
    found = []
    for index, wave in enumerate(workflow.waves):
        for agent in wave.agents:
            program = _program(agent, settings)
            said = settings.cli.get(agent.cli)
            path = {**env, **(said.env if said is not None else {})}.get("PATH", os.defpath)
            if not program or _is_there(program, path, folder):
                continue
            sentence = f"{harmless(program)} {_where(program, folder)}; this agent would fail to start"
            found.append(Missing(agent=agent.name, sentence=sentence, later="/" in program and index > 0))
    return found


def require_programs(workflow: Workflow, settings: Settings, env: Mapping[str, str], folder: Path) -> None:
    """Raises `RefusedError` for programs without which an agent of the workflow could not start."""
    missing = [one for one in missing_programs(workflow, settings, env, folder) if not one.later]
    if missing:
        told = "; ".join(dict.fromkeys(one.sentence.partition(";")[0] for one in missing))
        agents = ", ".join(one.agent for one in missing)
        raise RefusedError(f"{told} (needed by {agents}); install it first, nothing was started")


def _where(program: str, folder: Path) -> str:
    if "/" not in program:
        return "is not on this PATH"
    return "is no program" if program.startswith("/") else f"is no program in {harmless(folder)}"


def _program(agent: Agent, settings: Settings) -> str:
    if agent.cli in GIVEN_BY_RUN:
        return agent.run[0] if agent.run else ""
    said = settings.cli.get(agent.cli)
    if said is not None and (said.program or said.command):
        return said.program or said.command[0]
    from harness.agents import adapter

    try:
        return adapter(agent.cli).program
    except KeyError:
        return ""


def _is_there(program: str, path: str, folder: Path) -> bool:
    if "/" in program:
        return shutil.which(folder / program) is not None
    places = os.pathsep.join(str(folder / place) for place in path.split(os.pathsep))
    return shutil.which(program, path=places) is not None
