from __future__ import annotations

from store import events as e
from store.model import Outcome, Reason
from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def test_events_have_the_shape_of_the_contract(midwatch: Midwatch, building: Building) -> None:
    run = building.launch(at=1_767_225_600_000)
    building.write(
        e.DelegationNotStarted(run=run, agent="ui", reason=Reason.STOPPED, id="the-id", at=1_767_225_600_007)
    )
    document = midwatch("events", run, "--json").json
    assert [one["type"] for one in document] == [
        "run.launched",
        *["delegation.delegated"] * 3,
        "delegation.not_started",
    ]
    assert document[-1] == {
        "seq": document[0]["seq"] + 4,
        "id": "the-id",
        "at": "2026-01-01T00:00:00.007Z",
        "run": run,
        "agent": "ui",
        "type": "delegation.not_started",
        "from": "delegated",
        "to": "not_started",
        "data": {"reason": "stopped"},
    }


def test_a_person_reads_one_line_for_each(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    building.start(run, "api")
    building.write(e.DelegationFailed(run=run, agent="api", detail="a\nlong \x1b[2Jstory " * 20))
    building.finish(run, Outcome.WITH_FAILURES)
    lines = midwatch("events", run).out.splitlines()
    assert len(lines) == len(midwatch("events", run, "--json").json)
    assert any("delegation.failed" in line and "-> failed" in line for line in lines)
    assert all(len(line) <= 80 and line.isprintable() for line in lines)


def test_a_run_that_is_not_there_is_not_found(midwatch: Midwatch, building: Building) -> None:
    assert midwatch("events", "nope").status == 6
