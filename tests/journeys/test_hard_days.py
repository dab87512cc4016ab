"""What a terminal may ask at the wrong moment, and what a hostile one may leave in the inbox (R14, R22, E6)."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harness import surroundings
from harness.lock import holder
from store import inbox
from store.database import open_requester
from store.ids import now_ms
from tests.journeys.conftest import Program, agent, until


def put(midwatch: Program, verb: str, body: Mapping[str, Any], *, expires: bool = False, age_ms: int = 0) -> str:
    """The id of a request that was put so long ago."""
    with closing(open_requester(midwatch.places.record)) as connection:
        request = inbox.put(connection, verb, body, expires=expires)
        connection.execute("UPDATE inbox SET at=at-?, expires_at=expires_at-? WHERE id=?", (age_ms, age_ms, request))
    return request


def answered(midwatch: Program, request: str) -> inbox.Request:
    """The request with its answer."""

    def look() -> inbox.Request | None:
        with closing(open_requester(midwatch.places.record)) as connection:
            found = inbox.get(connection, request)
        return found if found is not None and found.state != "waiting" else None

    return until(look, what=f"an answer to {request}")


def kill_watch(midwatch: Program) -> None:
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")


def long_run(midwatch: Program) -> str:
    """A live run whose agent `a` is at work; `b` would note that it ran."""
    notes = midwatch.project / "b.ran"
    midwatch.workflow(
        "long", [{"name": "a", "run": agent("sleep:300")}], [{"name": "b", "run": agent(f"note:{notes}")}]
    )
    run = midwatch.launch("long")
    midwatch.until_state(run, "a", "running")
    return run


def launch_of(midwatch: Program, **more: Any) -> dict[str, Any]:
    """The body of a launch that would leave a note."""
    path = midwatch.workflow("late", [{"name": "a", "run": agent(f"note:{midwatch.project}/late.ran")}])
    return {"workflow": str(path), "inputs": {}, "folder": str(midwatch.project), "named_by_path": True, **more}


def test_a_request_that_nobody_can_understand_is_answered_and_ends_nothing(midwatch: Program) -> None:
    run = long_run(midwatch)
    watch = midwatch.watch_pid()
    odd: list[tuple[str, Mapping[str, Any]]] = [
        ("launch", {}),
        ("launch", {"workflow": "/"}),
        ("launch", {**launch_of(midwatch), "inputs": 5}),
        ("resume", {}),
        ("discard", {"run": "nothing"}),
        ("stop", {}),
        ("drain", {"run": run, "minutes": float("nan")}),
        ("drain", {"run": None, "minutes": "many"}),
        ("pause", {"run": run, "agent": ["a"]}),
        ("frobnicate", {"run": run}),
    ]
    for request in [put(midwatch, verb, body) for verb, body in odd]:
        assert answered(midwatch, request).state == "refused"
    assert midwatch.watch_pid() == watch and midwatch.show(run)["status"] == "live"
    assert midwatch.json("stop", run)["status"] == "finished"


def test_what_is_found_late_starts_nothing_and_still_stops(midwatch: Program) -> None:
    run = long_run(midwatch)
    kill_watch(midwatch)
    expired = [
        put(midwatch, "launch", launch_of(midwatch), expires=True, age_ms=31_000),
        put(midwatch, "launch", launch_of(midwatch), expires=True, age_ms=-3_600_000),  # the clock was set back
        put(midwatch, "launch", launch_of(midwatch, boot="before"), expires=True),  # the system was started anew
        put(midwatch, "unpause", {"run": None, "agent": None}, expires=True, age_ms=31_000),
    ]
    held = [
        put(midwatch, "pause", {"run": None, "agent": None}, age_ms=3_600_000),
        put(midwatch, "stop", {"run": run, "agent": None}, age_ms=3_600_000),
    ]
    for request in expired[:3]:
        (midwatch.places.handoffs / request).write_text("{}")
    midwatch("recover")
    assert {answered(midwatch, request).state for request in expired} == {"expired"}
    assert {answered(midwatch, request).state for request in held} == {"handled"}
    assert midwatch.json("status")["paused"] and midwatch.show(run)["outcome"] == "stopped"
    assert not list(midwatch.project.glob("*.ran")) and len(midwatch.json("runs")) == 1
    assert not list(midwatch.places.handoffs.iterdir()), "an environment that nobody will take stays nowhere"


@pytest.mark.parametrize("rounds", [pytest.param(2, id="some"), pytest.param(12, id="many", marks=pytest.mark.long)])
def test_every_stop_of_many_at_once_is_answered(midwatch: Program, rounds: int) -> None:
    midwatch.workflow("short", [{"name": name, "run": agent("sleep:300")} for name in ("a", "b")])
    for _ in range(rounds):
        run = midwatch.launch("short")
        asked = [midwatch.start(verb, run) for verb in ("stop", "stop", "pause", "drain", "stop")]
        asked.append(midwatch.start("stop", run, "a"))
        told = [(one.communicate(timeout=60), one.returncode) for one in asked]
        assert {status for _, status in told} <= {0, 8}, told
        assert midwatch.until_finished(run)["outcome"] == "stopped"


def test_a_lock_that_is_deleted_is_taken_again(midwatch: Program) -> None:
    gate = midwatch.project / "gate"
    midwatch.workflow("one", [{"name": "a", "run": agent(f"wait:{gate}")}])
    run = midwatch.launch("one")
    midwatch.until_state(run, "a", "running")
    watch = midwatch.watch_pid()
    midwatch.places.watch_lock.unlink()
    until(lambda: (found := holder(midwatch.places.watch_lock)) is not None and found.pid == watch, what="the lock")
    gate.touch()
    assert midwatch.until_finished(run)["outcome"] == "completed"


def test_a_watch_whose_runs_another_has_settled_starts_nothing_more(midwatch: Program) -> None:
    run = long_run(midwatch)
    first = midwatch.watch_pid()
    os.kill(first, signal.SIGSTOP)
    midwatch.places.watch_lock.unlink()
    midwatch("recover")
    settled = midwatch.json("events", run)
    assert midwatch.watch_pid() != first and settled[-1]["type"] == "run.finished"
    os.kill(first, signal.SIGCONT)
    until(lambda: not midwatch.processes_of(run), what="the end of its processes")
    until(lambda: b"harness" not in command_of(first), what="the end of the first watch")
    assert midwatch.json("events", run) == settled
    assert not list(midwatch.project.glob("*.ran"))


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("launches", [pytest.param(8, id="some"), pytest.param(30, id="many", marks=pytest.mark.long)])
def test_many_launches_at_once_on_an_empty_home(midwatch: Program, launches: int) -> None:
    midwatch.workflow("quick", [{"name": "a", "run": agent("print:x")}])
    started = [midwatch.start("run", "quick", "--detach") for _ in range(launches)]
    told = [(one.communicate(timeout=100)[0].strip(), one.returncode) for one in started]
    assert {status for _, status in told} == {0}
    assert {midwatch.until_finished(run)["outcome"] for run, _ in told} == {"completed"}
    assert len({run for run, _ in told}) == launches == len(midwatch.json("runs"))


def test_what_is_not_text_is_refused_before_anything_runs(midwatch: Program) -> None:
    notes = midwatch.project / "ran"
    midwatch.workflow("told", [{"name": "a", "run": agent(f"note:{notes}")}], top='[inputs.what]\nprompt = "?"')
    assert "not text in UTF-8" in midwatch("run", "told", "-i", "what=\udcff", expect=2)
    odd = Path(os.fsdecode(os.fsencode(midwatch.project) + b"/caf\xe9"))
    odd.mkdir()
    elsewhere = Program(home=midwatch.home, project=odd)
    assert "not in UTF-8" in elsewhere("run", "told", "-i", "what=x", expect=8)
    assert not notes.exists() and midwatch.json("runs") == []


def test_a_launch_that_could_not_be_recorded_in_time_never_starts(midwatch: Program) -> None:
    run = long_run(midwatch)
    watch = midwatch.watch_pid()
    os.kill(watch, signal.SIGSTOP)
    request = put(midwatch, "launch", launch_of(midwatch), expires=True, age_ms=27_000)
    surroundings.hand_over(surroundings.capture(), midwatch.places.handoffs, request)
    with closing(sqlite3.connect(midwatch.places.record, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        os.kill(watch, signal.SIGCONT)
        until(lambda: not (midwatch.places.handoffs / request).exists(), what="the watch taking it up")
        until(lambda: now_ms() > _expiry(midwatch, request), what="its expiry")
        other.execute("ROLLBACK")
    assert answered(midwatch, request).state == "expired"
    assert len(midwatch.json("runs")) == 1 and midwatch.show(run)["status"] == "live"
    assert not list(midwatch.project.glob("*.ran"))


def _expiry(midwatch: Program, request: str) -> int:
    with closing(open_requester(midwatch.places.record)) as connection:
        found = inbox.get(connection, request)
    assert found is not None and found.expires_at is not None
    return found.expires_at


@pytest.mark.parametrize("output", ["text", "reports"])
def test_journals_that_are_deleted_under_a_live_run_are_named(midwatch: Program, output: str) -> None:
    gate = midwatch.project / "gate"
    text = 'report:{"report":"text","text":"an answer"}'
    midwatch.workflow("one", [{"name": "a", "output": output, "prompt": "go", "run": agent(f"wait:{gate}", text)}])
    run = midwatch.launch("one")
    until(lambda: midwatch.processes_of(run), what="the agent at work")
    shutil.rmtree(midwatch.places.journals_of(run))
    gate.touch()
    found = midwatch.until_state(run, "a", "failed")  # within seconds: nobody will bring the folder back
    assert found["reason"] == "its answer could not be kept: the folder of its journals was deleted while it ran"
    assert midwatch.until_finished(run)["outcome"] == "completed with failures"
