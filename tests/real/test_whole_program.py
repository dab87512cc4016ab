"""The whole program with the real Claude Code: launched, recorded, counted and settled as a person would see it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.conftest import Program, midwatch, until
from tests.real.model import FakeModel

__all__ = ["midwatch"]


@pytest.fixture
def claude(midwatch: Program, claude_program: Path, claude_env: dict[str, str]) -> Iterator[dict[str, str]]:
    """The environment of a terminal that finds Claude Code on its PATH."""
    yield {**claude_env, "PATH": f"{claude_program.parent}:{claude_env['PATH']}"}


def one_agent(midwatch: Program, prompt: str, **more: Any) -> None:
    midwatch.workflow(
        "real", [{"name": "a", "cli": "claude", "prompt": prompt, "reporting": False, "allow": ["Bash"], **more}]
    )


def billed(model: FakeModel) -> int:
    return len([one for one in model.requests() if one.get("status") == 200])


def test_success_with_a_tool_call(midwatch: Program, claude: dict[str, str], model: FakeModel) -> None:
    one_agent(midwatch, "[[tool:bash echo hi > out.txt]] [[say:all done]]")
    midwatch("run", "real", **claude)
    run, found = midwatch.show("@"), midwatch.agent("@", "a")
    assert run["outcome"] == "completed" and (midwatch.project / "out.txt").read_text() == "hi\n"
    assert found["turns"] == 2 and found["attempts"][0]["session"] and found["attempts"][0]["exit_code"] == 0
    requests = billed(model)
    assert found["usage"]["input"] == 100 * requests and found["usage"]["output"] == 20 * requests
    assert found["usage"]["cache_read"] == 400 * requests and found["usage"]["cache_write"] == 30 * requests
    assert run["cost"]["usd"] > 0 and not run["cost"]["at_least"]
    assert "all done" in midwatch("logs", "@", "a")


def test_a_rejected_key_fails_the_agent_and_says_so(midwatch: Program, claude: dict[str, str]) -> None:
    one_agent(midwatch, "[[status:401]]")
    midwatch("run", "real", expect=1, **{**claude, "CLAUDE_CODE_MAX_RETRIES": "0"})
    found = midwatch.agent("@", "a")
    assert found["state"] == "failed" and "API key" in found["reason"]


def test_an_overload_that_passes_is_no_failure(midwatch: Program, claude: dict[str, str]) -> None:
    one_agent(midwatch, "[[status:529x1]] [[say:after all]]")
    midwatch("run", "real", **claude)
    assert midwatch.show("@")["outcome"] == "completed"


def test_killed_in_mid_turn_is_failed_and_what_it_spent_stays(midwatch: Program, claude: dict[str, str]) -> None:
    one_agent(midwatch, "[[tool:bash touch up; python3 -c 'import time; time.sleep(300)']] [[say:never]]")
    following = midwatch.start("run", "real", **claude)
    until((midwatch.project / "up").exists, seconds=60, what="the tool call")
    run = midwatch.json("runs")[0]["run"]
    (pid,) = [pid for pid in midwatch.processes_of(run) if _is_claude(pid)][:1]
    os.kill(pid, signal.SIGKILL)
    assert following.wait(timeout=60) == 1
    following.communicate()
    found = midwatch.agent(run, "a")
    assert found["state"] == "failed" and not midwatch.processes_of(run)
    assert found["usage"]["input"] == 100 and midwatch.show(run)["cost"]["at_least"]


def _is_claude(pid: int) -> bool:
    return Path(f"/proc/{pid}/exe").readlink().name.startswith("claude")


def test_cut_off_in_mid_turn_and_taken_up_by_its_exact_session(midwatch: Program, claude: dict[str, str]) -> None:
    one_agent(midwatch, "[[tool:bash touch up; python3 -c 'import time; time.sleep(300)']] [[say:never]]")
    midwatch("run", "real", "--detach", **claude)
    until((midwatch.project / "up").exists, seconds=60, what="the tool call")
    run = midwatch.json("runs")[0]["run"]
    session = midwatch.agent(run, "a")["attempts"][0]["session"]
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: not midwatch.processes_of(run), seconds=5, what="every process gone")
    assert midwatch.json("recover")[0]["interrupted"] == ["a"]
    midwatch("resume", run, "a", "--tell", "[[say:taken up]]", **claude)
    resumed = midwatch.until_finished("@", seconds=60)
    assert resumed["outcome"] == "completed"
    assert midwatch.agent("@", "a")["attempts"][0]["session"] == session
    assert "taken up" in midwatch("logs", "@", "a")
