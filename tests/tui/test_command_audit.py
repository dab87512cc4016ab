from __future__ import annotations

from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def test_without_a_record_there_is_nothing_to_prove(midwatch: Midwatch) -> None:
    assert midwatch("audit", "--json").json == {"runs": 0, "differences": []}


def test_a_sound_record_proves_itself(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    building.launch()
    ran = midwatch("audit")
    assert (ran.status, ran.out) == (0, "2 runs audited: folding the log gives the state\n")


def test_a_state_that_no_event_led_to_is_a_difference(midwatch: Midwatch, building: Building) -> None:
    run = building.finished()
    building.connection.execute("UPDATE delegations SET state='failed' WHERE agent='ui'")
    ran = midwatch("audit", "--json")
    assert ran.status == 9
    assert ran.json["differences"] == [
        {"run": run, "where": "ui.state", "folded": "<State.DONE: 'done'>", "stands": "<State.FAILED: 'failed'>"}
    ]
    ran = midwatch("audit")
    assert ran.status == 9
    assert f"{run}  ui.state" in ran.out


def test_a_log_that_does_not_fold_is_a_difference(midwatch: Midwatch, building: Building) -> None:
    run = building.finished()
    building.connection.execute("DROP TRIGGER events_are_never_changed")
    building.connection.execute("UPDATE events SET type='delegation.imagined' WHERE type='delegation.reported'")
    ran = midwatch("audit", "--json")
    assert ran.status == 9
    assert [one["where"] for one in ran.json["differences"] if one["run"] == run] == ["log"]
