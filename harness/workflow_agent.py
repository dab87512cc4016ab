"""Reading one agent of a workflow file: what its CLI needs, and what would mean nothing to it."""

from __future__ import annotations

from pathlib import Path

from harness.cli_names import COMMAND, GIVEN_BY_RUN
from harness.errors import WorkflowError
from harness.nearest import harmless, nearest, quoted
from harness.session_argument import fault_of_resume
from harness.settings import Settings
from harness.toml_file import read_content
from harness.toml_table import Table, unknown
from harness.workflow import Agent, Credential, Defaults, Output
from store.model import Role

_OF_A_COMMAND = ("output", "resume", "reject_on")


class AgentReader:
    """Reads the agents of one file. `prompt_files` gathers the content of the files they name, by the names there."""

    def __init__(self, folder: Path, defaults: Defaults, settings: Settings, *, all_defaults: bool) -> None:
        """`all_defaults`: whether the file says no more in its defaults than could be read."""
        self._folder = folder
        self._defaults = defaults
        self._all_defaults = all_defaults
        self._settings = settings
        self.prompt_files: dict[str, bytes] = {}

    def read(self, table: Table, name: str) -> Agent:
        """The agent in `table`; what is wrong with it is noted there, and the rest is read all the same."""
        defaults = self._defaults
        role = table.choice("role", Role, required=True)
        cli = self._cli(table)
        prompt, prompt_file = self._prompt(table, cli)
        run = self._run(table, cli)
        output = table.choice("output", Output)
        model = table.text("model")
        if model is None and cli != COMMAND and defaults.cli in (None, cli):
            model = defaults.model
        situation, reporting = table.flag("situation"), table.flag("reporting")
        agent = Agent(
            name=name,
            role=role or Role.DEVELOPER,
            cli=cli,
            model=model,
            prompt=prompt,
            prompt_file=prompt_file,
            run=run,
            output=output or Output.TEXT,
            resume=self._resume(table),
            reject_on=self._reject_on(table, role),
            credential=self._credential(table),
            allow=table.texts("allow", of="tools") or (),
            timeout=table.duration("timeout") or defaults.timeout,
            no_sign_of_life=table.duration("no_sign_of_life") or defaults.no_sign_of_life,
            budget=table.dollars("budget_usd") or defaults.budget,
            max_turns=table.count("max_turns") or defaults.max_turns,
            situation=True if situation is None else situation,
            reporting=True if reporting is None else reporting,
        )
        self._meaningless(table, cli, output)
        table.done()
        return agent

    def _cli(self, table: Table) -> str:
        cli = table.text("cli")
        if cli is not None and cli not in self._settings.clis:
            table.wrong("cli", unknown(cli, self._settings.clis, "CLI"))
            return ""  # which one is meant is not known, so nothing that depends on it can be wrong
        if "cli" in table:
            return cli or ""
        found = self._defaults.cli or self._settings.defaults.cli
        if found is None and self._all_defaults:
            table.missing(
                f"{table.name} has no `cli`; name one here, or for all agents in [defaults], "
                "or for all workflows in [defaults] of config.toml",
            )
        return found if found in self._settings.clis else ""

    def _prompt(self, table: Table, cli: str) -> tuple[str | None, Path | None]:
        prompt = table.text("prompt")
        named = table.text("prompt_file")
        if "prompt" in table and "prompt_file" in table:
            table.wrong("prompt_file", f"{table.name} has both `prompt` and `prompt_file`; keep one of them")
            return prompt, None
        if named is not None:
            return self._from_file(table, named)
        if cli not in ("", COMMAND) and "prompt" not in table and "prompt_file" not in table:
            table.missing(f"{table.name} has no prompt; give it `prompt` or `prompt_file`")
        return prompt, None

    def _from_file(self, table: Table, named: str) -> tuple[str | None, Path]:
        path = self._folder / named
        shown = f"`prompt_file` of {table.name}: {harmless(path)}"
        try:
            content = read_content(path)
            text = content.decode().removeprefix("\ufeff")
        except FileNotFoundError:
            table.wrong("prompt_file", f"{shown} does not exist{self._beside(path)}")
        except OSError as problem:
            table.wrong("prompt_file", f"{shown} cannot be read: {problem.strerror or problem}")
        except UnicodeDecodeError as problem:
            line = content.count(b"\n", 0, problem.start) + 1
            table.problems.add_elsewhere((*table.path, "prompt_file"), WorkflowError(path, line, "is not UTF-8 text"))
        except ValueError as problem:
            table.wrong("prompt_file", f"{shown} {problem}")
        else:
            self.prompt_files[named] = content
            if text.strip():
                return text, path
            table.wrong("prompt_file", f"{shown} is empty")
        return None, path

    def _beside(self, path: Path) -> str:
        """The nearest file of the same folder, as the end of a sentence."""
        try:
            near = nearest(path.name, [one.name for one in path.parent.iterdir() if one.is_file()])
        except OSError:
            return ""
        return "" if near is None else f"; did you mean {quoted(near)}?"

    def _run(self, table: Table, cli: str) -> tuple[str, ...]:
        run = table.texts("run", of="a program and its arguments")
        if cli in GIVEN_BY_RUN and "run" not in table:
            table.missing(f'{table.name} has `cli = "{cli}"` and so needs `run`, a list: ["program", "argument"]')
        if run is not None and not run[0].strip():
            table.wrong("run", f"`run` of {table.name} begins with an empty program")
        return run or ()

    def _resume(self, table: Table) -> tuple[str, ...]:
        resume = table.texts("resume", of="a program and its arguments")
        if resume is None:
            return ()
        fault = fault_of_resume(resume)
        if fault is not None:
            table.wrong("resume", f"`resume` of {table.name} {fault}")
        return resume

    def _reject_on(self, table: Table, role: Role | None) -> tuple[int, ...]:
        statuses = table.numbers("reject_on", of="exit statuses")
        if statuses is None:
            return (1,)
        if not all(1 <= status <= 255 for status in statuses):
            table.wrong("reject_on", f"`reject_on` of {table.name} lists exit statuses from 1 to 255; 0 accepts")
        if role is not None and not role.votes:
            table.wrong("reject_on", f"`reject_on` of {table.name} means nothing: only a reviewer or tester has a vote")
        return statuses

    def _credential(self, table: Table) -> Credential | None:
        inner = table.table("credential", f"`credential` of {table.name}")
        if inner is None:
            return None
        provider, env = inner.text("provider", required=True), inner.text("env", required=True)
        inner.done()
        return Credential(provider=provider or "", env=env or "")

    def _meaningless(self, table: Table, cli: str, output: Output | None) -> None:
        """Notes keys that this CLI would quietly pass over: a gate that does nothing is worse than none.

        A key that nobody knows may be the very one that gives them their meaning; then only that is told.
        """
        if not cli or (table.unknown_keys and "cli" not in table):
            return
        if cli not in GIVEN_BY_RUN and "run" in table:
            table.wrong("run", f"`run` of {table.name} means nothing: midwatch knows how {quoted(cli)} is started")
        if cli != COMMAND:
            for key in _OF_A_COMMAND:
                if key in table:
                    table.wrong(key, f'`{key}` of {table.name} is only for `cli = "{COMMAND}"`, not for {quoted(cli)}')
            return
        if output is Output.REPORTS and "reject_on" in table:
            means = f'`reject_on` of {table.name} means nothing with `output = "reports"`'
            table.wrong("reject_on", f"{means}: it votes by a Verdict heading")
        if "resume" in table and (output is Output.TEXT or not ("output" in table or table.unknown_keys)):
            table.wrong("resume", f'`resume` of {table.name} needs `output = "reports"`: a session comes in a report')
