from __future__ import annotations

from harness.lock import Lock
from store import events as e
from store.model import Outcome, Reason
from store.usage import NANO
from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def test_without_a_record_nothing_is_live(midwatch: Midwatch) -> None:
    assert midwatch("status").out == "0 live\n"


def test_one_line_says_what_is_live_and_what_today_cost(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    building.start(run, "api")
    building.use(run, "api", cost=14 * NANO)
    building.use(run, "api", input=1)
    building.write(e.HarnessPaused())
    assert midwatch("status").out == "0 live, 1 unsettled, paused, today $14.00+\n"
    lock = Lock(building.places.watch_lock)
    assert lock.take()
    try:
        assert midwatch("status").out == "1 live, paused, today $14.00+\n"
        assert midwatch("status", "--json").json == {
            "live": 1,
            "unsettled": 0,
            "stuck": 0,
            "to_recover": 0,
            "paused": True,
            "watch": True,
            "spent_today": {"usd": 14.0, "at_least": True, "partial": True, "estimated_usd": None},
        }
    finally:
        lock.close()


def test_what_was_cut_off_waits_for_the_person(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    building.start(run, "api")
    building.write(
        e.RunRestored(run=run),
        e.DelegationStopping(run=run, agent="api", reason=Reason.INTERRUPTED),
        e.DelegationStopped(run=run, agent="api", reason=Reason.INTERRUPTED),
        *(e.DelegationNotStarted(run=run, agent=agent, reason=Reason.STOPPED) for agent in ("ui", "tests")),
    )
    building.finish(run, Outcome.STOPPED)
    assert midwatch("status").out == "0 live, 1 to recover\n"
    building.write(e.RunDiscarded(run=run))
    assert midwatch("status").out == "0 live\n"
