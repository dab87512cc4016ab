"""Killed at any point of a run, midwatch loses nothing, resurrects nothing and pays nothing twice.

The points are those of `faults`: before and after everything that the watch, or a keeper, does to the disk.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from harness.lock import holder
from tests.crash.conftest import Night
from tests.journeys.conftest import Program, agent, until

OF_A_NIGHT = 210  # at least as many as there are; a point beyond the last is a plain kill after the run
OF_A_KEEPER = 16
OF_SETTLING = 30
OF_EVICTING = 90
OF_SHIPPING = 70


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    known = {
        "night_point": (OF_A_NIGHT, 30),
        "keeper_point": (OF_A_KEEPER, 7),
        "settling_point": (OF_SETTLING, 13),
        "evicting_point": (OF_EVICTING, 30),
        "shipping_point": (OF_SHIPPING, 23),
    }
    for name, (points, few) in known.items():
        if name in metafunc.fixturenames:
            step = 1 if metafunc.config.getoption("--run-long") else few
            metafunc.parametrize(name, range(step, points + 1, step))


def test_killed_in_a_night(night: Night, night_point: int) -> None:
    with night.watch("watch", night_point) as watch:
        launching = night.midwatch.start("run", "night", "--detach")
        launching.communicate(timeout=60)
        if launching.returncode == 0:
            until(lambda: watch.poll() is not None or not _live(night), seconds=30, what="an end")
        watch.kill()
    night.morning(take_up=night_point % 3 == 0)


def test_a_keeper_killed_while_the_watch_lives(night: Night, keeper_point: int) -> None:
    with night.watch("keepers", keeper_point):
        night.midwatch("run", "night", expect=None)
        run = night.newest()
        assert run is not None and not run.live
        assert not night.midwatch.processes_of(run.id)
    night.morning(take_up=False)


@pytest.mark.parametrize("finish", [False, True], ids=["ended", "left to finish"])
def test_a_keeper_killed_while_it_is_alone(night: Night, keeper_point: int, finish: bool) -> None:
    night.lay(top='[limits]\nwatch_death = "finish"' if finish else "", hold=True)
    with night.watch("keepers", keeper_point) as watch:
        night.midwatch("run", "night", "--detach", expect=None)
        until(
            lambda: len([name for name, count in night.starts().items() if count]) == 2 or not _live(night), what="both"
        )
        watch.kill()
        before = night.newest()
    night.release()
    night.morning(before=before, take_up=keeper_point % 3 == 0)


def test_killed_while_settling(night: Night, settling_point: int) -> None:
    night.lay(hold=True)
    with night.watch() as watch:
        night.midwatch("run", "night", "--detach")
        before = night.until_spent("a", "b")
        watch.kill()
    night.quiet()
    started = night.starts()
    night.log.unlink()
    with night.watch("watch", settling_point) as again:
        again.kill()
    night.morning(before=before, started=started, take_up=settling_point % 3 == 0)


def test_killed_while_evicting(midwatch: Program, night: Night, evicting_point: int) -> None:
    usage = 'report:{"report":"usage","id":"r","model":"m","input":7,"cost_usd":0.5}'
    midwatch.workflow("ship", [{"name": "a", "output": "reports", "prompt": "go", "run": agent(usage)}])
    with night.watch():
        for _ in range(3):
            midwatch("run", "ship")
    spent = midwatch.json("usage")
    assert "1.5" in json.dumps(spent)
    (midwatch.home / "config.toml").write_text("[retention]\nruns = 1\n")
    night.log.unlink()
    with night.watch("watch", evicting_point) as watch:
        until(lambda: watch.poll() is not None or _evicted(midwatch), what="an end")
        watch.kill()
    with night.watch():
        until(lambda: _evicted(midwatch), what="all evicted")
    midwatch.prove()
    runs = midwatch.json("runs")
    assert [one["outcome"] for one in runs] == ["completed"] * 3
    assert [len(midwatch.show(one["run"])["waves"]) for one in runs] == [1, 0, 0]
    assert midwatch.json("usage") == spent


def test_killed_while_shipping(midwatch: Program, night: Night, shipping_point: int) -> None:
    told, script = midwatch.project / "told", midwatch.project / "tell"
    script.write_text(f'#!/bin/sh\necho "$MIDWATCH_EVENT_ID" >> {told}\n')
    script.chmod(0o700)
    midwatch.workflow("ship", *([{"name": name, "run": agent("exit:3")}] for name in ("a", "b")))
    with night.watch():
        midwatch("run", "ship", expect=1)
    (midwatch.home / "config.toml").write_text(f'[notices]\ncommand = ["{script}"]\n')
    with night.watch():
        midwatch("run", "ship", expect=1)
        until(lambda: _owed(midwatch) == 0, what="the first told")
    told.unlink()
    night.log.unlink()
    earlier = night.newest()
    with night.watch("watch", shipping_point) as watch:
        launching = midwatch.start("run", "ship", "--detach")
        launching.communicate(timeout=60)
        launched = launching.returncode == 0  # else its watch died with the terminal's environment in hand, and said so
        until(lambda: watch.poll() is not None or (told.exists() and _owed(midwatch) == 0), what="an end")
        watch.kill()
    until(lambda: holder(midwatch.places.watch_lock) is None or not _live(night), seconds=30, what="another's run")
    night.end_watch()
    _let_leases_pass(midwatch)
    with night.watch():
        until(lambda: _owed(midwatch) == 0, what="the rest told")
    run = night.newest()
    assert run is not None and earlier is not None and (run.id != earlier.id) == launched
    with closing(sqlite3.connect(midwatch.places.record)) as record:
        rows = record.execute(
            "SELECT id FROM events WHERE run=? AND type IN ('run.finished', 'run.restored', 'delegation.failed')",
            (run.id,),
        )
        events = {row[0] for row in rows} if launched else set()
    heard = told.read_text().splitlines() if told.exists() else []
    assert events <= set(heard), "nothing that was owed goes unsaid"
    assert len(heard) <= len(set(heard)) + 1, "only what was on its way at the kill is told again, under the same id"
    assert midwatch.json("letters") == []


def test_each_kind_of_point_is_among_those_tried(night: Night) -> None:
    with night.watch():
        night.midwatch("run", "night")
    passed = night.points()
    assert len(passed) <= OF_A_NIGHT, len(passed)
    kinds = {line.split(" ")[2] for line in passed}
    assert {"migrate", "commit", "open", "splice", "fsync", "os.mkdir", "os.remove"} <= kinds
    night.log.unlink()
    with night.watch("keepers"):
        night.midwatch("run", "night")
    by_keeper = [line.split(" ") for line in night.points()]
    assert max(int(number) for _, number, *_ in by_keeper) <= OF_A_KEEPER
    assert {"os.fork", "open", "write", "fsync", "os.rename"} <= {kind for _, _, kind, *_ in by_keeper}


def _live(night: Night) -> bool:
    run = night.newest()
    return run is not None and run.live


def _evicted(midwatch: Program) -> bool:
    with closing(sqlite3.connect(midwatch.places.record)) as record:
        (left,) = record.execute("SELECT count(*) FROM runs WHERE dropped IS NULL").fetchone()
        (half,) = record.execute("SELECT count(*) FROM evicting").fetchone()
    return (left, half, len(list(midwatch.places.journals.iterdir()))) == (1, 0, 1)


def _owed(midwatch: Program) -> int:
    with closing(sqlite3.connect(midwatch.places.record)) as record:
        return int(record.execute("SELECT count(*) FROM outbox").fetchone()[0])


def _let_leases_pass(midwatch: Program) -> None:
    with closing(sqlite3.connect(midwatch.places.record)) as record, record:
        record.execute("UPDATE outbox SET leased_until=0 WHERE leased_until IS NOT NULL")
