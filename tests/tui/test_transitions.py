from __future__ import annotations

import io

from store import events as e
from store.ids import now_ms
from store.log import events_of
from store.model import Outcome, Reason, Verdict
from store.usage import NANO
from store.views import load_run
from tests.tui.building import Building
from tui.commands.terminal import Terminal
from tui.commands.transitions import lines


def _told(building: Building, run: str, *, width: int | None = None, colour: bool = False) -> list[str]:
    terminal = Terminal(io.StringIO(), io.StringIO(), width=width, colour=colour)
    news = list(events_of(building.connection, run))
    return list(lines(terminal, load_run(building.connection, run), news, now_ms()))


def test_each_wave_and_each_change_of_an_agent_is_a_line(building: Building) -> None:
    run = building.launch()
    building.write(e.WaveStarted(run=run, wave=0, name="build"))
    building.start(run, "api")
    building.start(run, "ui")
    building.use(run, "api", turns=3, cost=NANO)
    building.end(run, "api")
    building.write(
        e.DelegationReported(run=run, agent="api", attempt=1),
        e.DelegationAccepted(run=run, agent="api", verdict=Verdict.REJECTED),
        e.DelegationFailed(run=run, agent="ui", detail="exit \x1b[2Jstatus 2"),
        e.RunStopping(run=run, reason=Reason.BUDGET, detail="the budget is spent"),
        e.DelegationNotStarted(run=run, agent="tests", reason=Reason.GATE),
    )
    building.finish(run, Outcome.STOPPED)
    told = [line.split("  ", 1)[1] for line in _told(building, run)]
    assert told == [
        "wave 1: build",
        "▸ api    running  claude sonnet",
        "▸ ui     running  codex",
        "✓ api    done, rejected  3t  $1.00  0s",
        "✗ ui     failed: exit status 2  ?  0s",
        "stopping (budget): the budget is spent",
        "- tests  not started (gate)",
    ]


def test_holds_and_a_lost_watch_are_told(building: Building) -> None:
    run = building.launch()
    building.write(
        e.RunPaused(run=run), e.RunUnpaused(run=run), e.RunDraining(run=run, until=now_ms()), e.RunRestored(run=run)
    )
    assert [line.split("  ", 1)[1] for line in _told(building, run)] == [
        "paused: nothing new starts",
        "unpaused",
        "draining: nothing new starts",
        "its watch was gone; settled from the record",
    ]


def test_lines_fit_the_terminal(building: Building) -> None:
    run = building.launch()
    building.start(run, "ui")
    building.write(e.DelegationFailed(run=run, agent="ui", detail="very " * 50))
    assert all(len(line) <= 60 for line in _told(building, run, width=60))
    assert any("\x1b[31m" in line for line in _told(building, run, colour=True))
