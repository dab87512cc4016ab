"""A system that goes down tells everybody to end, in any order: that is an interruption, not a failure (A5, R8)."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until

UNTIL_TOLD = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit({})); open({!r}, 'w'); time.sleep(300)"


def until_told(status: int, here: Path) -> list[str]:
    """An agent that takes a TERM as the end of its work and leaves with this status."""
    return [sys.executable, "-c", UNTIL_TOLD.format(status, str(here))]


def terminate(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


@pytest.fixture
def night(midwatch: Program) -> str:
    """A live run of agents that take a TERM in different ways, one of them with a vote."""
    waits = {name: midwatch.project / name for name in ("accepts", "rejects", "fails")}
    midwatch.workflow(
        "night",
        [
            {"name": "plain", "run": agent("sleep:300")},
            {"name": "stubborn", "run": agent("ignore-term", "child:300", "sleep:300")},
            {"name": "accepts", "role": "tester", "run": until_told(0, waits["accepts"])},
            {"name": "rejects", "role": "tester", "run": until_told(1, waits["rejects"])},
            {"name": "fails", "run": until_told(3, waits["fails"])},
        ],
        [{"name": "later", "run": agent(f"note:{midwatch.project}/later.ran")}],
    )
    run = midwatch.launch("night")
    until(lambda: midwatch.show(run)["tally"]["running"] == 5 and all(one.exists() for one in waits.values()))
    return run


@pytest.mark.parametrize("first", ["keepers", "watch"])
def test_whoever_is_told_first_everything_is_interrupted(midwatch: Program, night: str, first: str) -> None:
    watch = midwatch.watch_pid()
    below = [one.pid for one in psutil.Process(watch).children(recursive=True)]
    agents = set(midwatch.processes_of(night))
    keepers = [pid for pid in below if pid not in agents]
    if first == "watch":
        terminate([watch, *below])
    else:
        terminate(keepers)
        until(lambda: not midwatch.processes_of(night), what="the end of every agent")
        terminate([watch])
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=6, what="the watch leaving")
    shown = midwatch.show(night)
    assert (shown["status"], shown["outcome"]) == ("finished", "stopped")
    assert [(one["state"], one["reason"], one["verdict"]) for one in shown["waves"][0]["agents"]] == [
        ("stopped", "interrupted", None)
    ] * 5
    assert len(midwatch.json("recover")[0]["interrupted"]) == 5
    assert not midwatch.processes_of(night) and not (midwatch.project / "later.ran").exists()


@pytest.mark.parametrize("output", ["text", "reports"])
def test_an_agent_that_is_told_before_the_watch_and_leaves_with_a_status_is_interrupted(
    midwatch: Program, output: str
) -> None:
    here = midwatch.project / "here"
    told = {"name": "a", "role": "tester", "output": output, "prompt": "go", "run": until_told(1, here)}
    midwatch.workflow("judge", [told])
    run = midwatch.launch("judge")
    until(here.exists, what="the agent at work")
    terminate(midwatch.processes_of(run))
    until(lambda: not midwatch.processes_of(run), what="the end of the agent")
    terminate([midwatch.watch_pid()])
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=6, what="the watch leaving")
    found = midwatch.agent(run, "a")
    assert (found["state"], found["reason"], found["verdict"]) == ("stopped", "interrupted", None)
    assert midwatch.json("recover")[0]["interrupted"] == ["a"]


def test_a_terminal_that_is_told_with_everything_else_stops_nothing(midwatch: Program) -> None:
    midwatch.workflow("one", [{"name": "a", "run": agent("touch:here", "sleep:300")}])
    following = midwatch.start("run", "one")
    until((midwatch.project / "here").exists, what="the agent at work")
    terminate([following.pid, midwatch.watch_pid()])
    following.communicate(timeout=30)
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=6, what="the watch leaving")
    assert midwatch.agent("@", "a")["reason"] == "interrupted" and len(midwatch.json("recover")) == 1


def test_a_keeper_that_is_told_alone_gives_no_verdict(midwatch: Program) -> None:
    here = midwatch.project / "here"
    midwatch.workflow("judge", [{"name": "tests", "role": "tester", "run": until_told(1, here)}])
    run = midwatch.launch("judge")
    until(here.exists, what="the agent at work")
    terminate([psutil.Process(midwatch.processes_of(run)[0]).ppid()])
    assert midwatch.until_finished(run)["outcome"] == "blocked"
    found = midwatch.agent(run, "tests")
    assert (found["state"], found["verdict"]) == ("failed", None) and "its keeper was told to end" in found["reason"]


def test_what_is_being_stopped_slowly_is_settled_all_the_same(midwatch: Program) -> None:
    midwatch.workflow("slow", [{"name": "a", "run": agent("ignore-term", "touch:here", "sleep:300")}])
    run = midwatch.launch("slow")
    until((midwatch.project / "here").exists, what="the agent at work")
    stopping = midwatch.start("stop", run)
    midwatch.until_state(run, "a", "stopping")
    terminate([midwatch.watch_pid()])
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=6, what="the watch leaving")
    stopping.communicate(timeout=30)
    shown = midwatch.show(run)
    assert (shown["status"], shown["outcome"]) == ("finished", "stopped")
    assert midwatch.agent(run, "a")["reason"] == "operator"
