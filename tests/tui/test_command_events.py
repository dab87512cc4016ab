from __future__ import annotations

from dataclasses import replace

import pytest

from store import events as e
from store.eviction import evict
from store.ids import now_ms
from store.model import Outcome, Reason
from store.retention import Dropped
from store.usage import NANO
from tests.tui.building import Building
from tests.tui.conftest import Midwatch
from tui.wording import clock


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


def test_moments_lengths_and_money_are_a_persons(
    midwatch: Midwatch, building: Building, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    run, at = building.launch(), now_ms()
    start = e.DelegationStarted(run=run, agent="api", attempt=1, attempt_id="x", cli="claude", deadline=at + 90_000)
    building.write(
        replace(start, at=at),
        e.RunDraining(run=run, until=at + 600_000, at=at),
        e.WaveStarted(run=run, wave=0, name="build"),
    )
    building.use(run, "api", input=5, cost=NANO // 4)
    out = midwatch("events", run).out
    assert f"deadline {clock(at + 90_000, seconds=True)} (in 1m30s)" in out
    assert f"until {clock(at + 600_000, seconds=True)} (in 10m00s)" in out
    assert "input=5 cost=$0.25" in out and "wave=1 name=build" in out
    assert str(at + 90_000)[:8] not in out


def test_of_a_run_whose_detail_is_gone_there_are_none(midwatch: Midwatch, building: Building) -> None:
    run = building.finished()
    building.connection.execute("DELETE FROM outbox")
    assert evict(building.connection, run, Dropped.EVICTED)
    ran = midwatch("events", run)
    assert (ran.out, ran.status) == ("", 0) and "not kept any more" in ran.err


def test_a_run_that_is_not_there_is_not_found(midwatch: Midwatch, building: Building) -> None:
    assert midwatch("events", "nope").status == 6
