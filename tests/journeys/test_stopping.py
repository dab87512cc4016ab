"""Stop, drain, pause and the death of the watch (R10, R14–R16, R19)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until


def test_stop_ends_the_whole_tree_and_starts_nothing_further(midwatch: Program) -> None:
    midwatch.workflow(
        "long",
        [{"name": "a", "run": agent("child:300", "ignore-term", "print:up", "sleep:300")}],
        [{"name": "b", "run": agent("print:never")}],
    )
    run = midwatch.launch("long")
    pids = until(lambda: midwatch.agent(run, "a")["pids"], what="its processes")
    midwatch("stop", run)
    finished = midwatch.until_finished(run)
    assert finished["outcome"] == "stopped"
    assert midwatch.agent(run, "a")["state"] == "stopped"
    assert midwatch.agent(run, "b")["state"] == "not_started"
    assert not [
        pid
        for pid in pids
        if Path(f"/proc/{pid}/cmdline").exists() and b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    types = [one["type"] for one in midwatch.json("events", run)]
    assert types.index("delegation.stopping") < types.index("attempt.ended") < types.index("delegation.stopped")
    midwatch("show", run, "--exit-status", expect=5)
    midwatch("stop", run, expect=8)


def test_stopping_one_agent_leaves_the_others(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "two", [{"name": "a", "run": agent("sleep:300")}, {"name": "b", "run": agent(f"wait:{gate}", "print:done")}]
    )
    run = midwatch.launch("two")
    midwatch.until_state(run, "a", "running")
    midwatch("stop", run, "a")
    midwatch.until_state(run, "a", "stopped")
    gate.touch()
    assert midwatch.until_finished(run)["outcome"] == "completed with failures"
    assert "nearest" not in midwatch("stop", run, "zzz", expect=8)


def test_a_paused_run_holds_what_has_not_started(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow("held", [{"name": "a", "run": agent(f"wait:{gate}")}], [{"name": "b", "run": agent("print:b")}])
    run = midwatch.launch("held")
    midwatch.until_state(run, "a", "running")
    midwatch("pause", run)
    assert midwatch.show(run)["status"] == "paused"
    gate.touch()
    midwatch.until_state(run, "a", "done")
    assert midwatch.agent(run, "b")["state"] == "delegated"
    midwatch("unpause", run)
    assert midwatch.until_finished(run)["outcome"] == "completed"


def test_a_drained_run_lets_agents_finish_and_starts_nothing(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "drained", [{"name": "a", "run": agent(f"wait:{gate}", "print:fine")}], [{"name": "b", "run": agent("print:b")}]
    )
    run = midwatch.launch("drained")
    midwatch.until_state(run, "a", "running")
    midwatch("drain", run, "--minutes", "5")
    assert midwatch.show(run)["status"] == "draining"
    gate.touch()
    assert midwatch.until_finished(run)["outcome"] == "stopped"
    assert midwatch.agent(run, "a")["state"] == "done"
    assert midwatch.agent(run, "b")["state"] == "not_started"


def test_ctrl_c_on_a_followed_run_stops_it(midwatch: Program) -> None:
    midwatch.workflow("follow", [{"name": "a", "run": agent("sleep:300")}])
    following = midwatch.start("run", "follow")
    until(lambda: [one for one in midwatch.json("runs") if one["status"] == "live"], what="a live run")
    midwatch.until_state("@", "a", "running")
    following.send_signal(signal.SIGINT)
    out, err = following.communicate(timeout=30)
    assert following.returncode == 5, out + err
    assert midwatch.show("@")["outcome"] == "stopped"


@pytest.mark.parametrize("script", [("sleep:300",), ("ignore-term", "child:300", "sleep:300")])
def test_killing_the_watch_leaves_no_process_and_a_settled_record(midwatch: Program, script: tuple[str, ...]) -> None:
    midwatch.workflow("night", [{"name": "a", "run": agent(*script)}], [{"name": "b", "run": agent("print:b")}])
    run = midwatch.launch("night")
    midwatch.until_state(run, "a", "running")
    until(lambda: midwatch.processes_of(run), what="a process")
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: not midwatch.processes_of(run), seconds=3, what="every process gone")
    assert midwatch.show(run)["status"] == "unsettled"
    midwatch("watch", "--status", expect=None)
    midwatch.workflow("wake", [{"name": "x", "run": agent("print:x")}])
    midwatch("run", "wake")
    settled = midwatch.show(run)
    assert (settled["status"], settled["outcome"], settled["restored"]) == ("finished", "stopped", True)
    assert midwatch.agent(run, "a")["state"] == "stopped" and midwatch.agent(run, "a")["reason"].startswith(
        "interrupted"
    )
    assert midwatch.agent(run, "b")["state"] == "not_started"


def test_term_on_the_watch_settles_as_interrupted(midwatch: Program) -> None:
    midwatch.workflow("night", [{"name": f"a{number}", "run": agent("sleep:300")} for number in range(3)])
    run = midwatch.launch("night")
    until(lambda: midwatch.show(run)["tally"]["running"] == 3)
    until(lambda: len(midwatch.processes_of(run)) == 3)
    os.kill(midwatch.watch_pid(), signal.SIGTERM)
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=6, what="the watch leaving")
    settled = midwatch.show(run)
    assert (settled["status"], settled["outcome"]) == ("finished", "stopped")
    assert settled["tally"]["stopped"] == 3
    assert not midwatch.processes_of(run)


def test_the_watch_leaves_when_idle_and_comes_back(midwatch: Program) -> None:
    midwatch.workflow("quick", [{"name": "a", "run": agent("print:x")}])
    midwatch("run", "quick")
    until(lambda: holder(midwatch.places.watch_lock) is None, seconds=15, what="the watch leaving")
    midwatch("run", "quick")
    assert len(midwatch.json("runs")) == 2
