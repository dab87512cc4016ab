from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import Midwatch

WORKFLOW = """
description = "Builds it"
[inputs.feature]
prompt = "What?"
[[waves]]
name = "build"
on_failure = "stop"
[[waves.agents]]
name = "api"
role = "developer"
cli = "claude"
model = "sonnet"
prompt = "Build {{ inputs.feature }}"
timeout = "30m"
budget_usd = 2.5
"""
COMMANDS = """
[[waves]]
name = "after"
[[waves.agents]]
name = "here"
role = "writer"
cli = "command"
run = ["./here"]
[[waves.agents]]
name = "later"
role = "writer"
cli = "command"
run = ["./later"]
"""


def test_a_valid_file_shows_what_would_run(midwatch: Midwatch) -> None:
    Path("ship.toml").write_text(WORKFLOW)
    ran = midwatch("check", "./ship.toml")
    assert (ran.status, ran.err) == (0, "")
    assert "build, which stops the run on a failure" in ran.out
    assert "api  developer  claude sonnet  at most 30m00s" in ran.out
    assert "-i feature=...  What? (needed)" in ran.out
    (document,) = midwatch("check", "./ship.toml", "--json").json
    assert (document["workflow"], document["valid"], document["errors"]) == ("ship", True, [])
    assert document["waves"][0]["agents"] == [
        {
            "name": "api",
            "role": "developer",
            "cli": "claude",
            "model": "sonnet",
            "timeout": 1800.0,
            "budget_usd": 2.5,
            "max_turns": None,
        }
    ]


def test_an_invalid_file_names_the_line_and_the_others_are_checked_all_the_same(midwatch: Midwatch) -> None:
    Path("ship.toml").write_text(WORKFLOW)
    Path("bad.toml").write_text(WORKFLOW.replace("timeout", "timeuot"))
    ran = midwatch("check", "./bad.toml", "./ship.toml")
    assert ran.status == 2
    assert "bad.toml:14" in ran.err
    assert "timeout" in ran.err
    assert "api  developer" in ran.out
    bad, good = midwatch("check", "./bad.toml", "./ship.toml", "--json").json
    assert (bad["valid"], [one["line"] for one in bad["errors"]]) == (False, [14])
    assert good["valid"]


def test_a_program_that_is_not_here_is_a_warning(midwatch: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("ship.toml").write_text(WORKFLOW + COMMANDS)
    Path("here").write_text("#!/bin/sh\n")
    Path("here").chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    ran = midwatch("check", "./ship.toml")
    assert ran.status == 0
    warned = {
        "api": "claude is not on this PATH; this agent would fail to start",
        "later": f"./later is no program in {Path.cwd()}; this agent would fail to start",
    }
    said = " ".join(ran.out.split())
    assert [f"warning: {agent}: {sentence}" in said for agent, sentence in warned.items()] == [True, True]
    (document,) = midwatch("check", "./ship.toml", "--json").json
    assert document["warnings"] == [{"agent": agent, "sentence": sentence} for agent, sentence in warned.items()]


def test_a_program_of_the_settings_is_looked_for_in_place_of_the_usual(midwatch: Midwatch, home: Path) -> None:
    Path("ship.toml").write_text(WORKFLOW)
    home.mkdir()
    (home / "config.toml").write_text('[cli.claude]\nprogram = "/bin/sh"\n')
    assert "warning" not in midwatch("check", "./ship.toml").out


def test_all_mistakes_of_a_file_are_told_at_once(midwatch: Midwatch) -> None:
    Path("bad.toml").write_text(WORKFLOW.replace("timeout", "timeuot").replace('"developer"', '"develper"'))
    for command in ("check", "run"):
        ran = midwatch(command, "./bad.toml")
        assert ran.status == 2
        first, second = ran.err.splitlines()
        assert "bad.toml:10: `role` of agent 'api' cannot be 'develper'; did you mean 'developer'?" in first
        assert "bad.toml:14: there is no key 'timeuot' in agent 'api'; did you mean 'timeout'?" in second
    (document,) = midwatch("check", "./bad.toml", "--json").json
    assert [one["line"] for one in document["errors"]] == [10, 14]


def test_what_is_not_there_is_not_found(midwatch: Midwatch) -> None:
    assert midwatch("check", "nothing").status == 6
    assert midwatch("check", "./nothing.toml").status == 6
    assert midwatch("check").status == 2
