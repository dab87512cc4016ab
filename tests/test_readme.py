"""README names every key that the files may have, and none that they may not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.settings import FIELDS, load_settings
from harness.toml_table import Table
from harness.workflow import load_workflow
from tui.actions import ACTIONS

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
EVERY_TABLE_OF_A_WORKFLOW = """
[inputs.x]
[defaults]
[limits]
[[waves]]
name = "w"
[[waves.agents]]
name = "a"
role = "tester"
cli = "command"
run = ["true"]
credential = { provider = "p", env = "E" }
"""
EVERY_TABLE_OF_THE_SETTINGS = """
[defaults]
[retention]
[limits]
[cli.mine]
command = ["true"]
[cli.mine.env]
[cli.mine.fields]
[prices.m]
[notices]
[screen]
[keys]
"""
HEADERS = {
    (): "top",
    ("inputs", "x"): "[inputs.NAME]",
    ("waves", 0): "[[waves]]",
    ("waves", 0, "agents", 0): "[[waves.agents]]",
    ("cli", "mine"): "[cli.NAME]",
    ("cli", "mine", "fields"): "[cli.NAME.fields]",
    ("prices", "m"): "[prices.MODEL]",
}


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[str, str]]]:
    """(table, key) of everything that the reading of a file asks for, tables themselves aside."""
    found: set[tuple[str, str]] = set()
    done = Table.done

    def noted(table: Table) -> None:
        header = HEADERS.get(table.path, f"[{'.'.join(str(part) for part in table.path)}]")
        found.update((header, key) for key in table._asked)
        done(table)

    monkeypatch.setattr(Table, "done", noted)
    yield found


def documented(heading: str) -> set[tuple[str, str]]:
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = set()
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "table" and not cells[0].startswith("-"):
            found.update((cells[0].strip("`"), key) for key in re.findall(r"`([^`]+)`", cells[1]))
    return found


def test_every_key_of_a_workflow_file(tmp_path: Path, accepted: set[tuple[str, str]]) -> None:
    path = tmp_path / "every.toml"
    path.write_text(EVERY_TABLE_OF_A_WORKFLOW)
    load_workflow(path)
    credential = {(table, key) for table, key in accepted if table.endswith("credential]")}
    assert {key for _, key in credential} == {"provider", "env"}
    tables = {("top", key) for key in ("inputs", "defaults", "limits", "waves")} | {("[[waves]]", "agents")}
    assert documented("Keys of a workflow file") == accepted - credential - tables


def test_every_key_of_the_settings(tmp_path: Path, accepted: set[tuple[str, str]]) -> None:
    path = tmp_path / "config.toml"
    path.write_text(EVERY_TABLE_OF_THE_SETTINGS)
    load_settings(path)
    tables = {("[cli.NAME]", "fields")}
    keys = {("[keys]", action.id) for action in ACTIONS}
    assert {key for table, key in accepted if table == "[cli.NAME.fields]"} == set(FIELDS)
    top = {(table, key) for table, key in accepted if table == "top"}
    assert documented("Keys of `config.toml`") == (accepted - tables - top) | keys


def test_every_report_line_is_what_the_reader_takes() -> None:
    from harness.agents import adapter
    from harness.agents.command import _KINDS
    from harness.reports import Unknown

    lines = re.findall(r'^\| `(\{"report":[^`]+\})` \|', README, re.MULTILINE)
    reader = adapter("command").reader(reports=True)
    kinds = set()
    for line in lines:
        line = line.replace('"kind":"…"', '"kind":"auth"')
        assert not [one for one in reader.read(line.encode()) if isinstance(one, Unknown)], line
        kinds.add(re.findall(r'"report":"(\w+)"', line)[0])
    assert kinds == set(_KINDS)
