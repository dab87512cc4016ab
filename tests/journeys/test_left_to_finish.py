"""Agents that finish without their watch (R19): a watch that comes back leaves them alone until they have."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until


@pytest.fixture
def left(midwatch: Program) -> str:
    """A run whose watch was killed; `a` waits for the file `gate`."""
    return leave(midwatch)


def leave(midwatch: Program, **more: Any) -> str:
    usage = 'report:{"report":"usage","id":"%d","cost_usd":%s}'
    script = [usage % (1, "1.0"), 'report:{"report":"turn"}', f"wait:{midwatch.project}/gate", usage % (2, "0.5")]
    script.append("report:" + json.dumps({"report": "text", "text": "finished alone"}))
    midwatch.workflow(
        "patient",
        [{"name": "a", "output": "reports", "prompt": "go", "run": agent(*script), **more}],
        [{"name": "b", "run": agent("print:b")}],
        top='[limits]\nwatch_death = "finish"',
    )
    run = midwatch.launch("patient")
    until(lambda: midwatch.agent(run, "a")["turns"] == 1, what="a at work")
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")
    return run


def test_a_watch_that_comes_back_does_not_end_them(midwatch: Program, left: str) -> None:
    assert midwatch.json("recover") == []
    for number in (signal.SIGKILL, signal.SIGTERM):
        (pid,) = midwatch.processes_of(left)
        os.kill(midwatch.watch_pid(), number)
        until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")
        midwatch.json("recover")
        assert midwatch.processes_of(left) == [pid] and midwatch.show(left)["status"] == "live"
    (midwatch.project / "gate").touch()
    midwatch.until_finished(left)
    found = midwatch.agent(left, "a")
    assert (found["state"], found["turns"], found["cost"]["usd"]) == ("done", 1, 1.5)
    assert midwatch.agent(left, "b")["state"] == "not_started"
    assert "finished alone" in midwatch("logs", left, "a")


def test_they_can_be_stopped(midwatch: Program, left: str) -> None:
    midwatch.json("recover")
    assert "finish without" in midwatch("unpause", left, expect=8)
    assert midwatch.json("stop", left)["status"] == "finished"
    assert not midwatch.processes_of(left)
    assert midwatch.agent(left, "a")["reason"] == "operator" and midwatch.show(left)["outcome"] == "stopped"


def test_one_of_them_can_be_stopped_and_one_that_has_not_started_as_well(midwatch: Program, left: str) -> None:
    midwatch.json("recover")
    for name in ("b", "a"):
        assert midwatch.json("stop", left, name)["status"] == "stopped"
    assert {midwatch.agent(left, name)["reason"] for name in ("a", "b")} == {"operator"}


def test_they_keep_their_deadlines(midwatch: Program) -> None:
    run = leave(midwatch, timeout="2s")
    midwatch.json("recover")
    assert midwatch.until_finished(run)["outcome"] == "stopped"
    assert midwatch.agent(run, "a")["reason"] == "timeout" and not midwatch.processes_of(run)
