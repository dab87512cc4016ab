"""The sub-commands with a real watch: what they print, what they leave with, what they start (T3)."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until


def _lines(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_followed_run_prints_each_change_and_the_outcome(midwatch: Program) -> None:
    midwatch.workflow("ship", [{"name": "api", "run": agent("print:hi")}], [{"name": "ui", "run": agent("exit:3")}])
    out = midwatch("run", "ship", expect=1)
    told = [line.split("  ", 1)[1] for line in out.splitlines()[:-2]]
    assert told[0] == "wave 1: w0"
    assert any(line.startswith("✓ api  done") for line in told)
    assert any(line.startswith("✗ ui   failed: ") for line in told)
    assert out.splitlines()[-2].startswith("! completed with failures: ")
    assert f"run {midwatch.show('@')['run']}" in out.splitlines()[-1]


def test_a_followed_run_for_machines_is_its_events_and_then_the_run(midwatch: Program) -> None:
    midwatch.workflow("ship", [{"name": "api", "run": agent("print:hi")}])
    *events, last = _lines(midwatch("run", "ship", "--json"))
    assert events == midwatch.json("events", "@")
    assert events[-1]["type"] == "run.finished"
    assert last == midwatch.show("@")


def test_detaching_prints_the_id_and_leaves_at_once(midwatch: Program) -> None:
    midwatch.workflow("long", [{"name": "a", "run": agent("sleep:300")}])
    run = midwatch.json("run", "long", "--detach")["run"]
    assert midwatch("run", "long", "--detach").strip() != run
    assert midwatch("show", run, "--exit-status", expect=10)
    assert midwatch.show(run)["status"] == "live"


def test_a_second_ctrl_c_leaves_the_run_stopping(midwatch: Program) -> None:
    midwatch.workflow("stubborn", [{"name": "a", "run": agent("ignore-term", "touch:here", "sleep:300")}])
    following = midwatch.start("run", "stubborn")
    until(lambda: (midwatch.project / "here").exists(), what="the agent at work")
    following.send_signal(signal.SIGINT)
    midwatch.until_state("@", "a", "stopping")
    following.send_signal(signal.SIGINT)
    _, err = following.communicate(timeout=30)
    assert following.returncode == 10
    assert "leaves it stopping" in err
    assert "left run" in err
    assert midwatch.until_finished("@")["outcome"] == "stopped"


def test_term_is_nobodys_stop_and_leaves_the_run_going(midwatch: Program) -> None:
    midwatch.workflow("long", [{"name": "a", "run": agent("touch:here", "sleep:300")}])
    following = midwatch.start("run", "long")
    until(lambda: (midwatch.project / "here").exists(), what="the agent at work")
    following.send_signal(signal.SIGTERM)
    _, err = following.communicate(timeout=30)
    assert following.returncode == 10
    assert "goes on without this terminal" in err and midwatch.show("@")["status"] == "live"


def test_what_is_wrong_is_said_before_anything_starts(midwatch: Program) -> None:
    midwatch.workflow(
        "asks",
        [{"name": "a", "run": agent("echo"), "prompt": "{{ inputs.what }}"}],
        top='[inputs.what]\nprompt = "What?"\nchoices = ["x", "y"]',
    )
    for words, status, said in (
        (["asks"], 2, "-i what="),
        (["asks", "-i", "what=z"], 2, "'z'"),
        (["asks", "-i", "waht=x"], 2, "did you mean 'what'?"),
        (["asks", "-i", "what"], 2, "NAME=VALUE"),
        (["asks", "-i", "what=x", "-i", "what=y"], 2, "given twice"),
        (["aks"], 6, "did you mean 'asks'?"),
        (["./nothing.toml"], 6, "no file"),
    ):
        assert said in midwatch("run", *words, expect=status)
    assert not midwatch.places.record.exists()
    midwatch("run", "asks", "-i", "what=x")
    assert midwatch.show("@")["inputs"] == {"what": "x"}


def test_a_projects_workflow_is_launched_once_it_is_trusted_or_named_by_path(midwatch: Program) -> None:
    own = midwatch.workflow("ship", [{"name": "a", "run": agent("print:hi")}])
    theirs = midwatch.project / ".midwatch" / "ship.toml"
    theirs.parent.mkdir()
    own.rename(theirs)
    assert "midwatch trust" in midwatch("run", "ship", expect=8)
    midwatch("run", "./.midwatch/ship.toml")
    assert midwatch.show("@")["path"] == str(theirs)
    midwatch("trust")
    midwatch("run", "ship")
    (listed,) = midwatch.json("list")
    assert (listed["status"], listed["outcome"], listed["last_run"]) == (
        "finished",
        "completed",
        midwatch.show("@")["run"],
    )


def test_holding_everything_and_lifting_it(midwatch: Program) -> None:
    midwatch.workflow("ship", [{"name": "a", "run": agent("print:hi")}])
    assert midwatch.json("pause")["run"] is None
    run = midwatch.launch("ship")
    assert midwatch.show(run)["status"] == "paused"
    assert "paused" in midwatch("status")
    midwatch("unpause")
    assert midwatch.until_finished(run)["outcome"] == "completed"


def test_a_stop_waits_until_nothing_is_left(midwatch: Program) -> None:
    midwatch.workflow("long", [{"name": name, "run": agent("child:300", "sleep:300")} for name in ("a", "b")])
    run = midwatch.launch("long")
    for name in ("a", "b"):
        midwatch.until_state(run, name, "running")
    stopped = midwatch.json("stop", run, "a")
    assert (stopped["verb"], stopped["agent"], stopped["status"]) == ("stop", "a", "stopped")
    assert midwatch.show(run)["status"] == "live"
    assert midwatch.json("stop", run)["status"] == "finished"
    assert not midwatch.processes_of(run)
    assert "has finished" in midwatch("stop", run, expect=8)


def test_draining_all_runs_says_so(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow("ship", [{"name": "a", "run": agent(f"wait:{gate}")}], [{"name": "b", "run": agent("print:b")}])
    run = midwatch.launch("ship")
    midwatch.until_state(run, "a", "running")
    midwatch("drain", "--minutes", "5")
    assert until(lambda: midwatch.show(run)["status"] == "draining")
    gate.touch()
    assert midwatch.until_finished(run)["outcome"] == "stopped"


def test_output_is_followed_while_it_comes(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow(
        "talk", [{"name": "a", "run": agent("print:first\tword", f"wait:{gate}", "print:last", "err:oops")}]
    )
    run = midwatch.launch("talk")
    following = midwatch.start("logs", run, "-f")
    assert following.stdout is not None
    assert following.stdout.readline() == "a | first   word\n"
    gate.touch()
    out, err = following.communicate(timeout=30)
    assert (following.returncode, out, err) == (0, "a | last\n", "a | oops\n")
    assert [one["line"] for one in _lines(midwatch("logs", run, "-f", "--json"))] == ["first\tword", "last", "oops"]


def test_a_watch_is_started_shown_and_ended(midwatch: Program) -> None:
    assert midwatch.json("watch", "--status")["running"] is False
    assert not Path(midwatch.places.watch_lock).exists()
    started = midwatch.json("watch")
    assert started["running"] and started["pid"] == midwatch.watch_pid()
    assert started == midwatch.json("watch", "--status")
    assert midwatch.json("watch", "--stop") == {"stopped": True}
    assert holder(midwatch.places.watch_lock) is None


def test_a_watch_in_the_foreground_stays_until_it_is_told_to_end(midwatch: Program) -> None:
    foreground = midwatch.start("watch", "--foreground")
    try:
        until(lambda: midwatch.json("watch", "--status")["pid"] == foreground.pid, what="the watch")
        midwatch("watch", "--foreground", expect=8)
    finally:
        foreground.send_signal(signal.SIGINT)
        _, err = foreground.communicate(timeout=30)
    assert foreground.returncode == 0
    assert "Traceback" not in err


def test_reading_starts_no_watch(midwatch: Program) -> None:
    for words in ("runs", "list", "status", "usage", "audit", "doctor", "watch --status"):
        midwatch(*words.split())
    for words in ("show @", "events @", "logs @"):
        midwatch(*words.split(), expect=6)
    assert not midwatch.places.state.exists()


def test_a_followed_run_whose_watch_is_killed_is_settled_and_told(midwatch: Program) -> None:
    midwatch.workflow("long", [{"name": "a", "run": agent("touch:here", "sleep:300")}])
    following = midwatch.start("run", "long")
    until(lambda: (midwatch.project / "here").exists(), what="the agent at work")
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    out, _ = following.communicate(timeout=60)
    assert following.returncode == 5
    assert "its watch was gone" in out
    assert midwatch.show("@")["restored"]
