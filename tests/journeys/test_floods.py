"""Agents that report without end, and journals read again after a crash: nothing hangs or counts twice (U4, E11)."""

from __future__ import annotations

import json
import os
import signal
import sys

from harness.lock import holder
from tests.journeys.conftest import Program, agent, until

TURN = '{"report":"turn"}'
USAGE = '{"report":"usage","id":"%d","input":1,"cost_usd":0.001}'
FLOOD = f"""
number = 0
while True:
    number += 1
    print({TURN!r})
    print({USAGE!r} % number)
"""
PIECES = f"""
import time
for number in range(4000):
    print({TURN!r})
    print({USAGE!r} % number, flush=number % 500 == 0)
    if number % 500 == 0:
        time.sleep(0.02)
print(flush=True)
time.sleep(300)
"""


def reporting(script: str) -> dict[str, object]:
    return {"name": "a", "output": "reports", "prompt": "go", "run": [sys.executable, "-c", script]}


def kill_watch(midwatch: Program, run: str) -> None:
    os.kill(midwatch.watch_pid(), signal.SIGKILL)
    until(lambda: holder(midwatch.places.watch_lock) is None, what="a free lock")
    until(lambda: not midwatch.processes_of(run), seconds=5, what="every process gone")


def printed(midwatch: Program, run: str, line: bytes) -> int:
    return midwatch.places.journal(run, "a", 1, "out").read_bytes().count(line)


def test_a_flood_of_reports_holds_up_nobody(midwatch: Program) -> None:
    midwatch.workflow("flood", [reporting(FLOOD), {"name": "b", "run": agent("sleep:300")}])
    run = midwatch.launch("flood")
    until(lambda: midwatch.agent(run, "a")["turns"] > 20_000, what="a flood")
    assert midwatch.json("stop", run, "b")["status"] == "stopped"
    assert midwatch.json("stop", run)["status"] == "finished"
    found = midwatch.agent(run, "a")
    turns = printed(midwatch, run, TURN.encode())  # the last line may have been cut off behind it
    assert found["turns"] == turns and turns - 1 <= found["usage"]["input"] <= turns
    events = [one for one in midwatch.json("events", run) if one["type"] == "usage.recorded"]
    assert len(events) < turns / 10


def test_what_was_cut_off_in_the_middle_is_counted_once(midwatch: Program) -> None:
    midwatch.workflow("cut", [reporting(PIECES)])
    run = midwatch.launch("cut")
    until(lambda: midwatch.agent(run, "a")["turns"] > 600, what="a part of it")
    kill_watch(midwatch, run)
    midwatch.json("recover")
    found = midwatch.agent(run, "a")
    # A report that is whole counts, also when it was cut off before its newline.
    assert found["turns"] == printed(midwatch, run, TURN.encode())
    assert found["usage"]["input"] == printed(midwatch, run, b'"input":1,"cost_usd":0.001}')


def test_a_session_that_was_taken_up_is_not_counted_again_after_a_second_crash(midwatch: Program) -> None:
    def total(dollars: float) -> str:
        counted = {"report": "usage", "id": "s", "cost_usd": dollars, "cumulative": True}
        return "report:" + json.dumps(counted)

    session = "report:" + json.dumps({"report": "session", "id": "s-1"})
    one = {
        "name": "a",
        "output": "reports",
        "prompt": "go",
        "run": agent(session, total(0.5), "sleep:300"),
        "resume": [*agent(session, total(0.5), total(0.75), "sleep:300"), "env:{{ session }}"],
    }
    midwatch.workflow("paid", [one])
    run = midwatch.launch("paid")
    until(lambda: midwatch.agent(run, "a")["cost"]["usd"] == 0.5, what="its cost")
    kill_watch(midwatch, run)
    midwatch.json("recover")
    resumed = midwatch.json("resume", run, "a")["run"]
    until(lambda: midwatch.agent(resumed, "a")["cost"]["usd"] == 0.25, what="what was added")
    kill_watch(midwatch, resumed)
    midwatch.json("recover")
    assert midwatch.agent(resumed, "a")["cost"]["usd"] == 0.25
    assert midwatch.agent(run, "a")["cost"]["usd"] == 0.5


def test_a_reason_without_end_is_kept_to_its_beginning(midwatch: Program) -> None:
    script = """print('{"report":"blocked","reason":"' + 'because ' * 200_000 + '"}')"""
    midwatch.workflow("wordy", [reporting(script)], [{"name": "b", "run": agent("echo"), "prompt": "go"}])
    midwatch("run", "wordy", expect=4)
    reason = midwatch.agent("@", "a")["reason"]
    assert len(reason) < 2_100 and "more characters in its journal" in reason


def test_the_last_turn_that_a_limit_allows_may_be_finished(midwatch: Program) -> None:
    two = {**reporting('print(\'{"report":"turn"}\\n\' * 2)'), "name": "a"}
    midwatch.workflow("exact", [two], top="[limits]\nmax_turns = 2")
    midwatch("run", "exact")
    midwatch.workflow("next", [two], [{"name": "b", "run": agent("print:b")}], top="[limits]\nmax_turns = 2")
    midwatch("run", "next", expect=5)
    assert midwatch.agent("@", "a")["state"] == "done" and midwatch.agent("@", "b")["state"] == "not_started"
