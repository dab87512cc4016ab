"""Reading a workflow file: every key with its type, every name with its rule, every problem with its line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from harness.errors import WorkflowError
from harness.names import fault_of_name, normal_name
from harness.nearest import quoted, suggestion
from harness.problems import Problems
from harness.settings import Settings
from harness.toml_file import read_toml
from harness.toml_table import Table, unknown
from harness.workflow import Agent, Defaults, Input, Limits, Wave, Workflow
from harness.workflow_agent import AgentReader
from harness.workflow_prompts import Declared, check_prompts
from store.model import OnFailure, WatchDeath


def read_workflow(path: Path, settings: Settings, *, prompts: bool) -> Workflow:
    """The workflow in the file at `path`. Raises `WorkflowError` with everything that is wrong with it."""
    file = read_toml(path, WorkflowError)
    problems = Problems(file=file, error=WorkflowError)
    root = Table(file.data, (), "the workflow", problems)
    name = _name_of_workflow(root, path)
    description = root.text("description", empty=True) or ""
    inputs = _inputs(root.table("inputs", "[inputs]"))
    around = root.table("defaults", "[defaults]")
    defaults = _defaults(around, settings)
    limits = _limits(root.table("limits", "[limits]"))
    all_defaults = not set(root.unknown_tables) - {"waves"} and ("defaults" in root) == (around is not None)
    if around is not None:
        all_defaults = all_defaults and not around.unknown_keys and ("cli" in around) == (defaults.cli is not None)
    reader = AgentReader(path.resolve().parent, defaults, settings, all_defaults=all_defaults)
    waves, declared, all_declared = _waves(root, reader)
    all_asked = not root.unknown_tables and isinstance(root.content.get("inputs", {}), dict)
    root.done()
    if prompts:
        asked = [normal_name(one) for one in root.content.get("inputs", ())] if all_asked else None
        check_prompts(declared, asked, problems, all_declared=all_declared and not root.unknown_tables)
    problems.raise_all()
    return Workflow(
        name=name,
        path=path.resolve(),
        description=description,
        inputs=inputs,
        defaults=defaults,
        limits=limits,
        waves=waves,
        digest=_digest(file.content, reader.prompt_files),
    )


def _name_of_workflow(root: Table, path: Path) -> str:
    name = root.text("name")
    if name is not None:
        return checked_name(root, name)
    fault = fault_of_name(path.stem)
    if fault is not None and "name" not in root:
        root.wrong(
            None, f"the file's name gives the workflow its name, but {quoted(path.stem)} {fault}; set `name` in it"
        )
    return normal_name(path.stem)


def checked_name(table: Table, name: str) -> str:
    """The name in its one spelling; a bad one is noted."""
    fault = fault_of_name(name)
    if fault is not None:
        table.wrong("name", f"the name {quoted(name)} {fault}")
    return normal_name(name)


def _inputs(table: Table | None) -> tuple[Input, ...]:
    if table is None:
        return ()
    found = []
    for name, one in table.named_tables("input").items():
        fault = fault_of_name(name)
        if fault is not None:
            one.wrong(None, f"the name {quoted(name)} of an input {fault}")
        default = one.text("default", empty=True)
        choices = one.texts("choices", of="values") or ()
        if default is not None and choices and default not in choices:
            near = suggestion(default, choices)
            one.wrong("default", f"the default of {one.name} cannot be {quoted(default)}; {near}")
        required = one.flag("required")
        found.append(
            Input(
                name=normal_name(name),
                prompt=one.text("prompt") or name,
                multiline=one.flag("multiline") or False,
                default=default,
                choices=choices,
                required=default is None if required is None else required,
            )
        )
        one.done()
    return tuple(found)


def _defaults(table: Table | None, settings: Settings) -> Defaults:
    if table is None:
        return Defaults()
    cli = table.text("cli")
    if cli is not None and cli not in settings.clis:
        table.wrong("cli", unknown(cli, settings.clis, "CLI"))
    found = Defaults(
        cli=cli,
        model=table.text("model"),
        timeout=table.duration("timeout"),
        no_sign_of_life=table.duration("no_sign_of_life"),
        budget=table.dollars("budget_usd"),
        max_turns=table.count("max_turns"),
    )
    table.done()
    return found


def _limits(table: Table | None) -> Limits:
    if table is None:
        return Limits()
    found = Limits(
        budget=table.dollars("budget_usd"),
        deadline=table.duration("deadline"),
        parallel=table.count("parallel"),
        max_turns=table.count("max_turns"),
        watch_death=table.choice("watch_death", WatchDeath) or WatchDeath.STOP,
    )
    table.done()
    return found


def _waves(root: Table, reader: AgentReader) -> tuple[tuple[Wave, ...], list[Declared], bool]:
    """The waves, their agents, and whether these are all that the file means to have, by the names it means."""
    tables = root.tables("waves", "a wave")
    if not tables and not root.content.get("waves"):
        root.missing("a workflow needs at least one wave: [[waves]]")
    waves: list[Wave] = []
    declared: list[Declared] = []
    names: dict[str, str] = {}
    agents: dict[str, str] = {}
    complete = _all_read(root, "waves", tables)
    for table in tables:
        name = _unique_name(table, "wave", names, "")
        on_failure = table.choice("on_failure", OnFailure) or OnFailure.CONTINUE
        found: list[Agent] = []
        for one in table.tables("agents", "an agent"):
            agent_name = _unique_name(one, "agent", agents, f" in wave {quoted(name)}")
            agent = reader.read(one, agent_name)
            found.append(agent)
            declared.append(Declared(agent=agent, wave=name, table=one))
        if not table.content.get("agents"):
            table.missing(f"{table.name} has no agents; give it one under [[waves.agents]]")
        named = all(one.name for one in found)
        complete = complete and named and _all_read(table, "agents", found) and not table.unknown_tables
        table.done()
        waves.append(Wave(name=name, agents=tuple(found), on_failure=on_failure))
    return tuple(waves), declared, complete


def _all_read(table: Table, key: str, found: Sequence[object]) -> bool:
    listed = table.content.get(key, [])
    return isinstance(listed, list) and len(listed) == len(found)


def _unique_name(table: Table, kind: str, taken: dict[str, str], where: str) -> str:
    """The name of this wave or agent, which the table is called by from here on."""
    name = table.text("name", required=True)
    if name is None:
        return ""
    name = checked_name(table, name)
    if name in taken:
        table.wrong("name", f"there is already {taken[name]}; each {kind} needs a name of its own")
    table.name = f"{kind} {quoted(name)}"
    taken.setdefault(name, f"{'a wave' if kind == 'wave' else 'an agent'} {quoted(name)}{where}")
    return name


def _digest(content: bytes, prompt_files: dict[str, bytes]) -> str:
    digest = hashlib.sha256(content)
    for name, text in prompt_files.items():
        digest.update(f"\0{name}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()
