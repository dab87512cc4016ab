from __future__ import annotations

import os

from harness.identity import identity_of
from harness.lock import Lock
from store.ids import now_ms
from tests.tui.building import Building
from tests.tui.conftest import Midwatch
from tui.wording import iso


def test_the_status_starts_nothing(midwatch: Midwatch, building: Building) -> None:
    building.launch()
    document = midwatch("watch", "--status", "--json").json
    assert {key: document[key] for key in ("running", "pid", "started_at", "record", "live_runs")} == {
        "running": False,
        "pid": None,
        "started_at": None,
        "record": str(building.places.record),
        "live_runs": 1,
    }
    assert document["survives_logout"] in (True, False, None)
    assert document["why"]
    assert "no watch lives, 1 unsettled" in midwatch("watch", "--status").out


def test_a_watch_that_lives_is_described(midwatch: Midwatch, building: Building) -> None:
    lock, at = Lock(building.places.watch_lock), now_ms()
    assert lock.take()
    me = identity_of(os.getpid())
    assert me is not None
    lock.describe({"pid": me.pid, "start_ticks": me.start_ticks, "started_at": at, "ready": True})
    try:
        document = midwatch("watch", "--status", "--json").json
        assert (document["running"], document["pid"], document["started_at"]) == (True, me.pid, iso(at))
        ran = midwatch("watch", "--foreground")
        assert ran.status == 8
        assert f"lives already (pid {me.pid})" in ran.err
    finally:
        lock.close()


def test_with_none_alive_there_is_none_to_stop(midwatch: Midwatch) -> None:
    assert midwatch("watch", "--stop", "--json").json == {"stopped": False}
    assert midwatch("watch", "--stop").out == "no watch lives\n"


def test_one_thing_at_a_time(midwatch: Midwatch) -> None:
    assert midwatch("watch", "--stop", "--status").status == 2
