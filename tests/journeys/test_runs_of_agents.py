"""Runs that agents launch belong to the run they were launched from, and an agent is not the operator (R21)."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until

WORDS = """
import pathlib, subprocess, sys
done = subprocess.run([sys.executable, "-m", "tui", *sys.argv[2:]], capture_output=True, text=True)
pathlib.Path(sys.argv[1]).write_text(f"{done.returncode}\\n{done.stdout}{done.stderr}")
"""
USAGE = {"report": "usage", "id": "r", "model": "m", "input": 7, "cost_usd": 0.75}


def says(told: Path, *words: str) -> list[str]:
    """An agent that runs `midwatch WORDS` from inside and writes what came of it into a file."""
    return [sys.executable, "-c", WORDS, str(told), *words]


def family(
    midwatch: Program, *, top: str = "", child: tuple[str, ...] = ("sleep:300",), **more: Any
) -> tuple[str, str]:
    """A run whose agent `a` launched another and waits for it; both live."""
    midwatch.workflow(
        "child",
        [{"name": "c", "output": "reports", "prompt": "go", "run": agent(*child)}],
        [{"name": "d", "run": ["true"]}],
    )
    launch = says(midwatch.project / "told", "run", "child")
    midwatch.workflow(
        "parent", [{"name": "a", "run": launch, **more}, {"name": "b", "run": agent("sleep:300")}], top=top
    )
    parent = midwatch.launch("parent")
    runs = until(lambda: (found := midwatch.json("runs")) and len(found) == 2 and found, what="the run of the agent")
    return parent, str(runs[0]["run"])


def test_a_run_from_inside_names_its_parent_and_ends_with_it(midwatch: Program) -> None:
    parent, child = family(midwatch)
    midwatch.until_state(child, "c", "running")
    assert midwatch.show(child)["parent"] == {"run": parent, "agent": "a"} and midwatch.show(parent)["parent"] is None
    assert f"launched by a of run {parent}" in midwatch("show", child)
    midwatch("stop", parent)
    shown = midwatch.until_finished(child)
    assert shown["outcome"] == "stopped" and midwatch.agent(child, "c")["reason"] == "parent"
    assert midwatch.agent(child, "d")["state"] == "not_started" and not midwatch.processes_of(child)


def test_it_ends_with_the_agent_that_launched_it(midwatch: Program) -> None:
    parent, child = family(midwatch)
    midwatch.until_state(child, "c", "running")
    midwatch("stop", parent, "a")
    assert midwatch.until_finished(child)["outcome"] == "stopped"
    assert midwatch.agent(child, "c")["detail"] == f"a of run {parent}, which launched it, was stopped"
    assert midwatch.show(parent)["status"] == "live"


def test_what_it_costs_counts_in_the_budget_above(midwatch: Program) -> None:
    parent, child = family(
        midwatch, top="[limits]\nbudget_usd = 0.5", child=(f"report:{json.dumps(USAGE)}", "sleep:300")
    )
    shown = midwatch.until_finished(parent)
    assert shown["outcome"] == "stopped" and midwatch.agent(parent, "b")["reason"] == "budget"
    assert shown["cost"]["usd"] is None, "it is the child's cost, and counted once"
    ended = midwatch.until_finished(child)
    assert ended["cost"]["usd"] == 0.75 and midwatch.agent(child, "c")["reason"] == "parent"


def test_its_turns_count_in_the_limits_of_the_agent_above(midwatch: Program) -> None:
    turns = ['report:{"report":"turn"}'] * 3
    parent, child = family(midwatch, child=(*turns, "sleep:300"), max_turns=2)
    assert midwatch.until_state(parent, "a", "stopped")["reason"] == "turns"
    assert midwatch.until_finished(child)["outcome"] == "stopped" and midwatch.show(parent)["status"] == "live"


def test_one_that_ends_well_lets_its_parent_go_on(midwatch: Program) -> None:
    _, child = family(midwatch, child=("print:x",))
    assert midwatch.until_finished(child)["outcome"] == "completed"
    midwatch.until_state("@" if child == "" else midwatch.json("runs")[1]["run"], "a", "done")
    assert (midwatch.project / "told").read_text().startswith("0\n")


def test_both_are_settled_after_a_crash(midwatch: Program) -> None:
    parent, child = family(midwatch)
    midwatch.until_state(child, "c", "running")
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")
    assert {one["run"] for one in midwatch.json("recover")} == {parent, child}


@pytest.mark.parametrize(
    "words", ["watch --stop", "stop {other}", "pause", "pause {other}", "drain", "resume {other} x", "discard {other}"]
)
def test_an_agent_does_not_do_what_is_a_persons(midwatch: Program, words: str) -> None:
    midwatch.workflow("other", [{"name": "x", "run": agent("sleep:300")}])
    other = midwatch.launch("other")
    midwatch.until_state(other, "x", "running")
    told = midwatch.project / "told"
    midwatch.workflow("one", [{"name": "a", "run": says(told, *words.format(other=other).split())}])
    midwatch.until_finished(midwatch.launch("one"))
    assert told.read_text().startswith("8\n") and "is for a person" in told.read_text()
    assert midwatch.show(other)["status"] == "live" and midwatch.agent(other, "x")["state"] == "running"


def test_an_agent_may_stop_its_own_run_and_what_it_launched(midwatch: Program) -> None:
    parent, child = family(midwatch)
    midwatch.until_state(child, "c", "running")
    marks = {"MIDWATCH_RUN": parent, "MIDWATCH_AGENT": "a", "MIDWATCH_ATTEMPT": "x/y"}
    midwatch("stop", child, **marks)
    assert midwatch.agent(child, "c")["reason"] == "operator"
    midwatch("stop", parent, **marks)


@pytest.mark.parametrize("mark", ["x/y", "{record}/y"])
def test_a_mark_that_was_inherited_launches_nothing_and_says_why(midwatch: Program, mark: str) -> None:
    midwatch.workflow("one", [{"name": "a", "run": agent("print:x")}])
    run = midwatch.launch("one")
    midwatch.until_finished(run)
    record = midwatch.json("doctor")["record"]["id"]
    marks = {"MIDWATCH_RUN": run, "MIDWATCH_AGENT": "a", "MIDWATCH_ATTEMPT": mark.format(record=record)}
    assert "can unset it" in midwatch("run", "one", expect=8, **marks)
    assert len(midwatch.json("runs")) == 1


def test_an_agent_trusts_nothing_by_naming_it(midwatch: Program) -> None:
    path = midwatch.project / ".midwatch" / "wild.toml"
    path.parent.mkdir()
    path.write_text(
        '[[waves]]\nname = "w"\n[[waves.agents]]\nname = "x"\nrole = "writer"\ncli = "command"\nrun = ["true"]'
    )
    told = midwatch.project / "told"
    midwatch.workflow("one", [{"name": "a", "run": says(told, "run", str(path))}])
    midwatch.until_finished(midwatch.launch("one"))
    assert told.read_text().startswith("8\n") and "trust" in told.read_text()
    assert len(midwatch.json("runs")) == 1
