"""What a shell is told when a person presses tab, asked for as the shells ask for it: by a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.model import Outcome
from tests.tui.building import Building
from tests.tui.conftest import Midwatch

ROOT = Path(__file__).parents[2]


def offered(home: Path, typed: str, folder: Path | None = None) -> dict[str, str]:
    """What is offered after `typed`, with what is said of each, as fish asks."""
    read, write = os.pipe()
    code = (
        f"import os; os.dup2({write}, 8); from tui.__main__ import main; main()"  # the shells give a descriptor 8 to it
    )
    env = {
        **os.environ,
        "MIDWATCH_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_DFS": "\t",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_SHELL": "fish",
        "COMP_LINE": typed,
        "COMP_POINT": str(len(typed)),
    }
    with subprocess.Popen([sys.executable, "-c", code], env=env, pass_fds=(write,), cwd=folder) as asked:
        os.close(write)
        with os.fdopen(read) as opened:
            lines = opened.read().splitlines()
        asked.wait()
    return dict((*line.split("\t", 1), "")[:2] for line in lines)


def test_commands_are_offered_with_what_they_do(home: Path) -> None:
    assert offered(home, "midwatch sh") == {"show": "one run: outcome, cost, waves and agents"}


def test_options_of_the_command_are_offered(home: Path) -> None:
    assert set(offered(home, "midwatch runs --o")) == {"--outcome"}


def test_runs_are_offered_with_what_they_are(home: Path, building: Building) -> None:
    run = building.finished(Outcome.NOT_ACCEPTED)
    assert offered(home, "midwatch show ") == {"@": "the newest", run[:8]: "ship, not accepted"}
    assert set(offered(home, f"midwatch show {run[:9]}")) == {run}


def test_agents_of_the_run_that_was_named_are_offered(home: Path, building: Building) -> None:
    run = building.finished()
    assert offered(home, f"midwatch logs {run} ") == {"api": "done", "ui": "done", "tests": "done"}
    assert offered(home, "midwatch logs nothing-like-it ") == {}


def test_workflows_are_offered_by_name_and_by_file(home: Path) -> None:
    folder = home / "workflows"
    folder.mkdir(parents=True)
    (folder / "ship.toml").write_text(
        'description = "Ships it"\n[[waves]]\nname = "w"\n'
        '[[waves.agents]]\nname = "a"\nrole = "writer"\ncli = "command"\nrun = ["true"]\n'
    )
    (folder / "broken.toml").write_text("what")
    assert offered(home, "midwatch run ")["ship"] == "Ships it"
    assert set(offered(home, "midwatch run sh", folder)) == {"ship", "ship.toml"}


@pytest.mark.parametrize("typed", ["midwatch show 'an open quotation", "midwatch usage --since "])
def test_odd_lines_offer_nothing_and_say_nothing(home: Path, typed: str) -> None:
    assert offered(home, typed) == {}


def test_a_record_that_is_none_offers_nothing(home: Path, building: Building) -> None:
    building.connection.close()
    building.places.record.write_bytes(b"this is not a database" * 100)
    assert offered(home, "midwatch show ") == {"@": "the newest"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_lines(midwatch: Midwatch, shell: str) -> None:
    ran = midwatch("completion", shell)
    assert ran.status == 0
    assert "midwatch" in ran.out
    assert midwatch("completion", shell, "--json").json["shell"] == shell


def test_bash_takes_its_lines(midwatch: Midwatch) -> None:
    lines = midwatch("completion", "bash").out
    shown = subprocess.run(["bash", "-c", f"{lines}\ncomplete -p midwatch"], capture_output=True, text=True, check=True)
    assert "midwatch" in shown.stdout
