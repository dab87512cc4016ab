"""`midwatch check WORKFLOW…`: validates workflow files and prints what would run.

`--json`: a list of `{"workflow", "path", "valid", "errors": [{"file", "line", "sentence"}], "description",
"inputs", "waves": [{"name", "on_failure", "agents": [{"name", "role", "cli", "model", "timeout", "budget_usd",
"max_turns"}]}], "warnings": [{"agent", "sentence"}]}`; of an invalid one only the first four keys. Times are seconds.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import FileError, HarnessError
from harness.programs import missing_programs
from harness.settings import load_settings
from harness.workflow import load_workflow
from harness.workflow_plan import to_plan
from harness.workflow_search import resolve
from store.paths import Places
from store.usage import NANO
from tui.commands.options import describe
from tui.commands.table import table
from tui.failures import explain_all
from tui.statuses import Status
from tui.text import one_line
from tui.wording import elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.programs import Missing
    from harness.workflow import Workflow
    from store.plan import Plan
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "Validate workflow files and print their waves and agents; nothing starts.",
        "midwatch check ./ship.toml",
    )
    parser.add_argument("workflows", metavar="WORKFLOW", nargs="+", help="a name or a path")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Checks all of them, whatever is wrong with one; the first thing wrong decides the status."""
    places, cwd = Places.of_environment(), Path.cwd()
    settings = load_settings(places.settings)
    status = Status.OK
    documents: list[dict[str, Any]] = []
    for named in arguments.workflows:
        try:
            workflow = load_workflow(resolve(places, cwd, named), settings)
        except HarnessError as error:
            told, failed_with = explain_all(error)
            status = status or failed_with
            documents.append(_invalid(named, error))
            for sentence in told:
                terminal.note(f"midwatch: {sentence}")
            continue
        plan = to_plan(workflow, settings)
        missing = missing_programs(workflow, settings, os.environ, cwd)
        documents.append(_valid(workflow, plan, missing))
        if not arguments.json:
            terminal.lines(_describe(terminal, workflow, plan, missing))
    if arguments.json:
        terminal.document(documents)
    return status


def _describe(terminal: Terminal, workflow: Workflow, plan: Plan, missing: list[Missing]) -> Iterator[str]:
    yield f"{terminal.paint(one_line(workflow.name), 'bold')}  {one_line(str(workflow.path))}"
    if workflow.description:
        yield from terminal.wrapped(one_line(workflow.description), "  ")
    for asked in workflow.inputs:
        needed = "needed" if asked.required else "may be left out"
        yield from terminal.wrapped(f"-i {asked.name}=...  {one_line(asked.prompt)} ({needed})", "  ")
    for wave in plan.waves:
        yield f"{one_line(wave.name)}" + (", which stops the run on a failure" if wave.on_failure == "stop" else "")
        yield from table(
            terminal,
            [
                (
                    one_line(agent.name),
                    agent.role,
                    one_line(agent.cli if agent.model is None else f"{agent.cli} {agent.model}"),
                    "" if agent.timeout is None else f"at most {elapsed(int(agent.timeout * 1000))}",
                )
                for agent in wave.agents
            ],
            gives=(2, 0),
            indent="  ",
        )
    for one in missing:
        for line in terminal.wrapped(f"warning: {one_line(one.agent)}: {one.sentence}", "  "):
            yield terminal.paint(line, "yellow")


def _valid(workflow: Workflow, plan: Plan, missing: list[Missing]) -> dict[str, Any]:
    return {
        "workflow": workflow.name,
        "path": str(workflow.path),
        "valid": True,
        "errors": [],
        "description": workflow.description,
        "inputs": [
            {
                "name": asked.name,
                "prompt": asked.prompt,
                "multiline": asked.multiline,
                "default": asked.default,
                "choices": list(asked.choices),
                "required": asked.required,
            }
            for asked in workflow.inputs
        ],
        "waves": [
            {
                "name": wave.name,
                "on_failure": wave.on_failure,
                "agents": [
                    {
                        "name": agent.name,
                        "role": agent.role,
                        "cli": agent.cli,
                        "model": agent.model,
                        "timeout": agent.timeout,
                        "budget_usd": None if agent.budget is None else agent.budget / NANO,
                        "max_turns": agent.max_turns,
                    }
                    for agent in wave.agents
                ],
            }
            for wave in plan.waves
        ],
        "warnings": [{"agent": one.agent, "sentence": one.sentence} for one in missing],
    }


def _invalid(named: str, error: HarnessError) -> dict[str, Any]:
    if isinstance(error, FileError):
        errors = [{"file": str(one.file), "line": one.line, "sentence": one.sentence} for one in error.all]
        return {"workflow": None, "path": str(error.file), "valid": False, "errors": errors}
    errors = [{"file": None, "line": None, "sentence": str(error)}]
    return {"workflow": named, "path": None, "valid": False, "errors": errors}
