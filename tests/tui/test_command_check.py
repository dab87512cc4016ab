from __future__ import annotations

from pathlib import Path

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


def test_a_valid_file_shows_what_would_run(midwatch: Midwatch) -> None:
    Path("ship.toml").write_text(WORKFLOW)
    ran = midwatch("check", "./ship.toml")
    assert (ran.status, ran.err) == (0, "")
    assert "build, which stops the run on a failure" in ran.out
    assert "api  developer  claude sonnet  at most 30m00s" in ran.out
    assert "-i feature=...  What? (needed)" in ran.out
    (document,) = midwatch("check", "./ship.toml", "--json").json
    assert (document["workflow"], document["valid"], document["error"]) == ("ship", True, None)
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
    assert (bad["valid"], bad["error"]["line"]) == (False, 14)
    assert good["valid"]


def test_what_is_not_there_is_not_found(midwatch: Midwatch) -> None:
    assert midwatch("check", "nothing").status == 6
    assert midwatch("check", "./nothing.toml").status == 6
    assert midwatch("check").status == 2
