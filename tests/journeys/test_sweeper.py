"""Stuck agents are found by query and ended; tests skip the time for it (E9)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from harness.lock import holder
from store.database import open_reader
from store.vitals import vitals_of
from tests.journeys.conftest import Program, agent, until

ROOT = Path(__file__).parents[2]


@pytest.fixture
def skipping(midwatch: Program) -> Iterator[Path]:
    """The folder by which the clock of the watch that lives now is made to skip."""
    midwatch.places.prepare()
    watch = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.journeys.skipping_watch", str(midwatch.home)],
        cwd=ROOT,
        env={**os.environ, "MIDWATCH_HOME": str(midwatch.home), "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    until(
        lambda: (found := holder(midwatch.places.watch_lock)) is not None and found.facts.get("ready"), what="the watch"
    )
    yield midwatch.home
    watch.send_signal(signal.SIGTERM)
    watch.wait(timeout=20)


def test_the_silent_fail_and_the_late_are_stopped(midwatch: Program, skipping: Path) -> None:
    chatter = 'import time\nwhile True: print("here", flush=True); time.sleep(0.01)'
    midwatch.workflow(
        "night",
        [
            {"name": "silent", "run": agent("print:one word", "child:300", "sleep:300"), "no_sign_of_life": "2m"},
            {"name": "late", "run": [sys.executable, "-c", chatter], "timeout": "12m", "no_sign_of_life": "5m"},
            {"name": "well", "run": agent(f"wait:{midwatch.project}/gate")},
        ],
        top='[defaults]\ntimeout = "9h"\nno_sign_of_life = "9h"',
    )
    run = midwatch.launch("night")
    until(lambda: midwatch.show(run)["tally"]["running"] == 3 and len(midwatch.processes_of(run)) == 3)
    (skipping / "skip").touch()
    silent = midwatch.until_state(run, "silent", "failed")
    assert silent["reason"] == "no sign of life for 2m, so it was ended"
    late = midwatch.until_state(run, "late", "stopped")
    assert (late["reason"], late["detail"]) == ("timeout", "it took longer than its timeout of 12m")
    assert midwatch.agent(run, "well")["state"] == "running" and len(midwatch.processes_of(run)) == 1
    (midwatch.project / "gate").touch()
    assert midwatch.until_finished(run)["outcome"] == "completed with failures"


def test_time_that_nobody_had_is_charged_to_nobody(midwatch: Program, skipping: Path) -> None:
    midwatch.workflow("night", [{"name": "a", "run": agent("sleep:300"), "timeout": "30m", "no_sign_of_life": "20m"}])
    run = midwatch.launch("night")
    midwatch.until_state(run, "a", "running")
    (skipping / "hole").touch()
    until(lambda: not (skipping / "hole").exists(), what="the hole")
    looked = looks(midwatch, run)
    until(lambda: looks(midwatch, run) > looked + 2_000, what="two more looks")
    assert midwatch.agent(run, "a")["state"] == "running"
    assert midwatch.json("runs", "--stuck") == [] and midwatch.json("status")["stuck"] == 0


def test_a_person_can_list_what_may_be_stuck(midwatch: Program) -> None:
    midwatch.workflow("night", [{"name": "a", "run": agent("sleep:300"), "no_sign_of_life": "20m"}])
    run = midwatch.launch("night")
    midwatch.until_state(run, "a", "running")
    (found,) = until(lambda: midwatch.json("runs", "--stuck", "1s"), what="a second of silence")
    assert (found["run"], found["agent"], found["state"]) == (run, "a", "running")
    assert found["sign_of_life"] < found["silent_by"] < found["deadline"]
    assert "last sign of life" in found["why"]
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")
    (found,) = midwatch.json("runs", "--stuck")
    assert found["agent"] == "a" and "no watch lives" in found["why"]
    midwatch("recover")
    assert midwatch.json("runs", "--stuck") == []
    assert "--stuck" in midwatch("runs", "--stuck", "soon", expect=2)


def looks(midwatch: Program, run: str) -> int:
    """When the watch last looked at what is at work (ms); 0 before."""
    with closing(open_reader(midwatch.places.record)) as reader:
        return max((one.at for one in vitals_of(reader, run).values()), default=0)
