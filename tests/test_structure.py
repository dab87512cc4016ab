"""The rooms, what each may touch, and what a start must not import."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.agents import adapter, names

ROOT = Path(__file__).parents[1]
ROOMS = ("store", "harness", "tui")
SECONDS = 110

# What starts, signals or waits for a process without an import that a contract could see.
OF_PROCESSES = re.compile(
    r"abort|fork(pty)?|kill(pg)?|pidfd_open|popen|posix_spawnp?|setsid|system|wait([34]|p?id)?|exec[lv]p?e?"
    r"|create_subprocess_(exec|shell)"
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


@pytest.mark.parametrize(
    "command",
    [
        (tool("lint-imports"), "--no-cache"),
        (tool("ruff"), "check", "--quiet"),
        (tool("ruff"), "format", "--check", "--quiet"),
        (tool("mypy"),),
    ],
    ids=["imports", "lint", "format", "types"],
)
def test_it_has_nothing_to_say(command: tuple[str, ...]) -> None:
    found = run(*command)
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_adapter_is_kept_from_knowing_the_others() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (independent,) = [contract["modules"] for contract in contracts if contract["type"] == "independence"]
    assert set(independent) == {type(adapter(name)).__module__ for name in names()}


def parsed(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    for room in rooms:
        for source in sorted((ROOT / room).rglob("*.py")):
            yield source.relative_to(ROOT).as_posix(), ast.parse(source.read_text(encoding="utf-8"))


def test_only_the_harness_starts_and_ends_processes() -> None:
    found = {
        f"{name}: {node.value.id}.{node.attr}"
        for name, tree in parsed("store", "tui")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in ("os", "asyncio") and OF_PROCESSES.fullmatch(node.attr)
    }
    assert found == set()


def test_one_thread_writes_the_record_and_one_file_puts_requests() -> None:
    """`open_writer` and `write` are the scribe's and the store's own; everybody else reads or asks."""
    using: dict[str, set[str]] = {}
    for name, tree in parsed("harness", "tui"):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "store.database":
                for imported in node.names:
                    using.setdefault(imported.name, set()).add(name)
    assert using.get("open_writer") == {"harness/scribe.py"}
    assert using.get("open_requester") == {"harness/requests.py"}
    assert "write" not in using


def imported_by(statements: str) -> set[str]:
    """The names of the packages that are loaded when a fresh process has done this."""
    code = f"{statements}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}}, sep='\\n')"
    found = run(sys.executable, "-c", code)
    assert found.returncode == 0, found.stderr
    return set(found.stdout.splitlines())


def test_the_watch_does_not_import_the_screen() -> None:
    assert not imported_by("import harness.__main__, harness.watch, harness.conductor") & {"textual", "rich", "tui"}


def test_a_list_of_runs_imports_no_more_than_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDWATCH_HOME", str(tmp_path))
    run_it = "from tui.__main__ import main\ntry: main(['runs'])\nexcept SystemExit: pass"
    heavy = {"textual", "rich", "sqlite_utils", "asyncio", "psutil", "jinja2", "markdown_it", "msgspec", "platformdirs"}
    assert not imported_by(run_it) & heavy
