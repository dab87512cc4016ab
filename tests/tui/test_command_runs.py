from __future__ import annotations

from pathlib import Path

import pytest

from harness.lock import Lock
from store import events as e
from store.ids import now_ms
from store.model import Outcome
from store.usage import NANO
from tests.tui.building import Building
from tests.tui.conftest import Midwatch


def test_without_a_record_there_are_no_runs_and_nothing_is_made(midwatch: Midwatch, home: Path) -> None:
    ran = midwatch("runs")
    assert (ran.status, ran.out) == (0, "")
    assert "midwatch run WORKFLOW" in ran.err
    assert midwatch("runs", "--json").json == []
    assert not home.exists()


def test_runs_are_listed_newest_first_with_outcome_and_cost(midwatch: Midwatch, building: Building) -> None:
    first = building.launch()
    building.start(first, "api")
    building.use(first, "api", turns=2, cost=1_840_000_000)
    building.use(first, "api", turns=1, input=5)
    building.finish(first, Outcome.NOT_ACCEPTED)
    second = building.finished(Outcome.COMPLETED, "/flows/docs.toml")
    lines = midwatch("runs").out.splitlines()
    assert lines[0].split() == ["RUN", "WORKFLOW", "STATUS", "STARTED", "TIME", "COST"]
    assert lines[1].split()[:4] == ["✓", second[:8], "docs", "completed"]
    assert lines[2].split()[:5] == ["✗", first[:8], "ship", "not", "accepted"]
    assert lines[2].endswith("$1.84+")


def test_what_a_record_calls_live_is_unsettled_without_a_watch_and_live_with_one(
    midwatch: Midwatch, building: Building
) -> None:
    building.launch()
    assert midwatch("runs", "--json").json[0]["status"] == "unsettled"
    lock = Lock(building.places.watch_lock)
    assert lock.take()
    try:
        assert midwatch("runs", "--json").json[0]["status"] == "live"
    finally:
        lock.close()


@pytest.mark.parametrize(
    ("happened", "status"),
    [
        (lambda run: e.RunPaused(run=run), "paused"),
        (lambda run: e.HarnessPaused(), "paused"),
        (lambda run: e.RunDraining(run=run, until=now_ms()), "draining"),
    ],
)
def test_a_live_run_says_what_holds_it(midwatch: Midwatch, building: Building, happened: object, status: str) -> None:
    building.write(happened(building.launch()))  # type: ignore[operator]
    lock = Lock(building.places.watch_lock)
    assert lock.take()
    try:
        assert midwatch("runs", "--json").json[0]["status"] == status
    finally:
        lock.close()


def test_figures_of_a_live_run_are_partial(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    building.start(run, "api")
    building.use(run, "api", cost=NANO)
    assert midwatch("runs").out.splitlines()[1].endswith("$1.00 so far")
    assert midwatch("runs", "--json").json[0]["cost"] == {
        "usd": 1.0,
        "at_least": False,
        "partial": True,
        "estimated_usd": None,
    }


def test_filters_look_past_what_does_not_fit(
    midwatch: Midwatch, building: Building, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.commands.runs._PAGE", 2)
    wanted = [building.finished(Outcome.BLOCKED, "/flows/a.toml") for _ in range(2)]
    for _ in range(5):
        building.finished(Outcome.COMPLETED, "/flows/b.toml")
    ids = [run["run"] for run in midwatch("runs", "--outcome", "blocked", "--json").json]
    assert ids == wanted[::-1]
    assert [run["run"] for run in midwatch("runs", "--workflow", "a", "--json").json] == ids
    assert [run["run"] for run in midwatch("runs", "--workflow", "/flows/a.toml", "--json").json] == ids
    assert [run["run"] for run in midwatch("runs", "--workflow", "a", "--limit", "1", "--json").json] == ids[:1]
    assert midwatch("runs", "--outcome", "stopped").err == "no such run\n"


@pytest.mark.parametrize("outcome", ["not accepted", "not-accepted", "NOT_ACCEPTED"])
def test_an_outcome_may_be_joined_in_any_way(midwatch: Midwatch, outcome: str) -> None:
    assert midwatch("runs", "--outcome", outcome).status == 0


@pytest.mark.parametrize("words", [("--limit", "0"), ("--limit", "x"), ("--outcome", "splendid"), ("extra",)])
def test_what_makes_no_sense_is_wrong_usage(midwatch: Midwatch, words: tuple[str, ...]) -> None:
    ran = midwatch("runs", *words)
    assert (ran.status, ran.out) == (2, "")


def test_a_hostile_workflow_name_is_harmless_and_fits(midwatch: Midwatch, building: Building) -> None:
    building.finished(workflow="/flows/\x1b]0;owned\x07evil\u202e" + "日本" * 40 + ".toml")
    for line in midwatch("runs").out.splitlines():
        assert line.isprintable()
        assert len(line) <= 80
    assert "\\u001b" in midwatch("runs", "--json").out


def test_a_pipe_gets_whole_lines(midwatch: Midwatch, building: Building, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    building.finished(workflow=f"/flows/{'long-' * 30}.toml")
    assert "long-" * 30 in midwatch("runs").out


def test_runs_go_by_when_they_were_launched_and_what_they_cost(midwatch: Midwatch, building: Building) -> None:
    old = building.launch(at=1_767_225_600_000)
    dear = building.launch()
    building.start(dear, "api")
    building.use(dear, "api", cost=2_500_000_000)
    assert [run["run"] for run in midwatch("runs", "--since", "2026-02-01", "--json").json] == [dear]
    assert [run["run"] for run in midwatch("runs", "--cost", "$2.50", "--json").json] == [dear]
    assert midwatch("runs", "--cost", "2.51", "--json").json == []
    assert [run["run"] for run in midwatch("runs", "--since", "2025-12-31", "--json").json] == [dear, old]
    assert "is no amount of dollars" in midwatch("runs", "--cost", "nan").err
