"""After a crash: nothing lost, nothing resurrected, nothing paid twice (R8–R13, R17, E11)."""

from __future__ import annotations

import json
import os
import signal

import psutil

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until


def kill_watch(midwatch: Program, run: str) -> None:
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None)
    until(lambda: not midwatch.processes_of(run), seconds=4, what="every process gone")


def night(midwatch: Program) -> str:
    """Two waves, cut off in the second: a is done, b had a session and had spent, c never began."""
    usage = json.dumps({"report": "usage", "id": "r1", "model": "m", "input": 5, "cost_usd": 0.5})
    session = json.dumps({"report": "session", "id": "s-1"})
    midwatch.workflow(
        "night",
        [{"name": "a", "run": agent("print:from a")}],
        [
            {
                "name": "b",
                "output": "reports",
                "run": agent(f"report:{session}", f"report:{usage}", 'report:{"report":"turn"}', "sleep:300"),
                "resume": agent("echo", "print:resumed {{ session }}"),
                "prompt": "the task {{ agents.a.output }}",
            }
        ],
        [{"name": "c", "run": agent("echo"), "prompt": "a said {{ agents.a.output }}"}],
    )
    run = midwatch.launch("night")
    until(lambda: midwatch.agent(run, "b")["turns"] == 1, what="b at work")
    until(lambda: midwatch.agent(run, "b")["attempts"][0]["session"] == "s-1")
    return run


def test_a_crash_is_offered_once_and_nothing_starts_by_itself(midwatch: Program) -> None:
    run = night(midwatch)
    kill_watch(midwatch, run)
    (entry,) = midwatch.json("recover")
    assert (entry["run"], entry["interrupted"], entry["outcome"]) == (run, ["b"], "stopped")
    assert entry["cost"]["usd"] == 0.5 and entry["usage"]["turns"] == 1
    assert entry["tally"] == {
        "done": 1,
        "failed": 0,
        "blocked": 0,
        "stopped": 1,
        "not_started": 1,
        "running": 0,
        "waiting": 0,
    }
    assert len(midwatch.json("runs")) == 1 and not midwatch.processes_of(run)
    before = midwatch.json("events", run)
    assert midwatch.json("recover") == [entry] and midwatch.json("events", run) == before


def test_a_resume_takes_up_the_session_and_counts_apart(midwatch: Program) -> None:
    run = night(midwatch)
    kill_watch(midwatch, run)
    midwatch.json("recover")
    before = midwatch.json("events", run)
    resumed = midwatch.json("resume", run, "b", "--continue")["run"]
    finished = midwatch.until_finished(resumed)
    assert (finished["continues"], finished["outcome"]) == (run, "completed")
    assert [[one["name"] for one in wave["agents"]] for wave in finished["waves"]] == [["b"], ["c"]]
    printed = midwatch("logs", resumed, "b")
    assert "resumed s-1" in printed and "cut off" in printed and "the task" not in printed
    assert "a said from a" in midwatch("logs", resumed, "c")
    assert midwatch.json("recover") == []
    assert midwatch.json("events", run) == before
    assert midwatch.show(run)["cost"]["usd"] == 0.5 and finished["cost"]["usd"] is None
    assert "taken up already" in midwatch("resume", run, "b", expect=8)


def test_what_was_cut_off_before_its_prompt_was_written_is_handed_it_by_a_resume(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "night",
        [{"name": "a", "run": agent("print:from a")}],
        [{"name": "b", "run": agent(f"wait:{gate}", "echo"), "prompt": "the task {{ agents.a.output }}"}],
    )
    run = midwatch.launch("night")
    for again in (False, True):  # also when a resume is cut off so
        prompt = midwatch.places.journal(run, "b", 1, "prompt")
        until(prompt.exists, what="b's hand-over written")
        kill_watch(midwatch, run)
        prompt.unlink()
        if again:
            gate.touch()
        midwatch.json("recover")
        run = midwatch.json("resume", run, "b")["run"]
    assert midwatch.until_finished(run)["outcome"] == "completed"
    handed_over = midwatch("logs", run, "b")
    assert "cut off" in handed_over and "the task from a" in handed_over


def test_what_cleared_its_environment_is_ended_when_watch_and_keeper_died_at_once(midwatch: Program) -> None:
    midwatch.workflow("night", [{"name": "a", "run": agent("child:300", "sleep:300")}])
    run = midwatch.launch("night")
    until(lambda: len(midwatch.agent(run, "a")["pids"]) == 2, what="the child seen in its tree")
    child = next(one for one in map(psutil.Process, midwatch.agent(run, "a")["pids"]) if one.name() == "sleep")
    above = child.parents()
    midwatch_processes = above[: 1 + next(at for at, one in enumerate(above) if one.pid == midwatch.watch_pid())]
    assert len(midwatch_processes) == 4, "the agent, its keeper, what forks keepers, and the watch"
    for one in reversed(midwatch_processes):  # held first, so that none of them sees another die
        one.suspend()
    for one in midwatch_processes:
        one.kill()
    until(lambda: holder(midwatch.places.watch_lock) is None)
    assert child.is_running()
    assert [one["interrupted"] for one in midwatch.json("recover")] == [["a"]]
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_two_resumes_at_once_start_one(midwatch: Program) -> None:
    run = night(midwatch)
    kill_watch(midwatch, run)
    midwatch.json("recover")
    both = [midwatch.start("resume", run, "b") for _ in range(2)]
    statuses = sorted(one.wait(timeout=30) for one in both)
    for one in both:
        one.communicate()
    assert statuses == [0, 8]
    assert len(midwatch.json("runs")) == 2
    midwatch.until_finished("@")


def test_discard_settles_and_keeps_the_record(midwatch: Program) -> None:
    run = night(midwatch)
    kill_watch(midwatch, run)
    midwatch.json("recover")
    midwatch("discard", run)
    assert midwatch.json("recover") == []
    shown = midwatch.show(run)
    assert shown["discarded"] and shown["cost"]["usd"] == 0.5
    midwatch("resume", run, "b", expect=8)
    midwatch("discard", run, expect=8)


def test_an_agent_is_not_the_operator(midwatch: Program) -> None:
    run = night(midwatch)
    kill_watch(midwatch, run)
    midwatch.json("recover")
    for words in (("resume", run, "b"), ("discard", run), ("unpause",), ("trust",)):
        midwatch(*words, expect=8, MIDWATCH_ATTEMPT="x/y")
    assert len(midwatch.json("runs")) == 1


def test_what_finished_without_the_watch_is_recorded_and_not_run_again(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "patient",
        [{"name": "a", "run": agent(f"wait:{gate}", "print:finished alone")}],
        [{"name": "b", "run": agent("print:b")}],
        top='[limits]\nwatch_death = "finish"',
    )
    run = midwatch.launch("patient")
    midwatch.until_state(run, "a", "running")
    until(lambda: midwatch.processes_of(run))
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None)
    gate.touch()
    until(lambda: midwatch.places.journal(run, "a", 1, "exit").exists(), what="its ending")
    midwatch.json("recover")
    assert midwatch.agent(run, "a")["state"] == "done"
    assert midwatch.agent(run, "b")["state"] == "not_started"
    assert "finished alone" in midwatch("logs", run, "a")
