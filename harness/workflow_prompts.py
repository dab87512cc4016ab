"""Checking the prompts of a workflow before anything starts: their syntax, and every name in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from harness.errors import WorkflowError
from harness.problems import Problems
from harness.rendering import is_template
from harness.toml_table import Table
from harness.workflow import Agent


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """An agent, the name of its wave, and where in the file it stands."""

    agent: Agent
    wave: str
    table: Table


def check_prompts(
    declared: Sequence[Declared], inputs: Sequence[str] | None, problems: Problems, *, all_declared: bool
) -> None:
    """Notes every problem of every prompt at its line, in the workflow file or in the prompt file.

    `inputs` is `None`, and `all_declared` false, where the file is too wrong to say which inputs and agents it means to
    have: a prompt that names one is then not wrong for it.
    """
    earlier: list[str] = []
    waves = {one.agent.name: one.wave for one in declared}
    for _, group in groupby(declared, key=lambda one: one.table.path[1]):
        wave = list(group)
        for one in wave:
            _check(one, inputs, earlier if all_declared else None, waves, problems)
        earlier.extend(one.agent.name for one in wave)


def _check(
    one: Declared,
    inputs: Sequence[str] | None,
    earlier: Sequence[str] | None,
    waves: dict[str, str],
    problems: Problems,
) -> None:
    agent = one.agent
    if agent.prompt is None or not is_template(agent.prompt):
        return
    from harness.template_check import faults_of_template

    for line, sentence in faults_of_template(agent.prompt, inputs=inputs, earlier=earlier, waves=waves):
        told = f"the prompt of {one.table.name} {sentence}"
        if agent.prompt_file is not None:
            problems.add_elsewhere((*one.table.path, "prompt_file"), WorkflowError(agent.prompt_file, line, told))
        else:
            problems.add_within((*one.table.path, "prompt"), line, told)
