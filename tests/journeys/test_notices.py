"""Those outside are told, old records make room, and neither holds up the watch (E4, E7, R5)."""

from __future__ import annotations

import json

from harness.lock import holder
from tests.harness.receiver import HANGS, receiving
from tests.journeys.conftest import Program, agent, until


def configure(midwatch: Program, text: str) -> None:
    (midwatch.home / "config.toml").write_text(text)


def test_a_run_that_ended_is_told_although_the_receiver_fails_at_first(midwatch: Program) -> None:
    midwatch.workflow("ship", [{"name": "a", "run": agent("exit:3")}])
    with receiving(500) as receiver:
        configure(midwatch, f"[notices]\nwebhook = {json.dumps(receiver.address)}\n")
        midwatch("run", "ship", expect=1)
        until(lambda: len(set(receiver.events)) == 2, what="both events")
    kinds = {receiver.body(index)["type"] for index in range(len(receiver.bodies))}
    assert kinds == {"delegation.failed", "run.finished"}
    assert midwatch.json("letters") == []


def test_a_receiver_that_hangs_holds_up_neither_a_run_nor_the_watch(midwatch: Program) -> None:
    midwatch.workflow("ship", [{"name": "a", "run": agent("print:done")}])
    with receiving(HANGS) as receiver:
        configure(midwatch, f"[notices]\nwebhook = {json.dumps(receiver.address)}\n")
        midwatch("run", "ship")
        until(lambda: receiver.bodies, what="the request")
        midwatch("run", "ship")
        midwatch("watch", "--stop")
        assert holder(midwatch.places.watch_lock) is None
        first = receiver.events[0]
        midwatch("run", "ship")
        until(lambda: receiver.events.count(first) == 2, what="the event once more")


def test_old_records_make_room_and_their_history_stays(midwatch: Program) -> None:
    configure(midwatch, "[retention]\nruns = 2\n")
    midwatch.workflow("ship", [{"name": "a", "run": agent("print:done")}])
    for _ in range(4):
        midwatch("run", "ship")
    until(lambda: len(list(midwatch.places.journals.iterdir())) == 2, what="two folders")
    runs = midwatch.json("runs")
    assert [one["outcome"] for one in runs] == ["completed"] * 4
    assert {one.name for one in midwatch.places.journals.iterdir()} == {one["run"] for one in runs[:2]}
    assert [len(midwatch.show(one["run"])["waves"]) for one in runs] == [1, 1, 0, 0]
    assert midwatch.json("audit")["differences"] == []
