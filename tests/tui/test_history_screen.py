"""From the history to a run, and from words to the line in which they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from store.paths import Places
from tests.tui.driving import drive, main_of, press, screen_on, shown, until
from tests.tui.scenes import busy, fixed_ids
from tui.screens.found import Found
from tui.screens.history import History
from tui.screens.timeline import Timeline
from tui.situation import Pane

NARROW, WIDE = (80, 24), (120, 36)


@pytest.fixture
def places(home: Path) -> Places:
    home.mkdir(exist_ok=True)
    with fixed_ids():
        return busy(home).places


def test_a_run_of_last_week_is_found_and_opened(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "H")
        await until(pilot, lambda: isinstance(pilot.app.screen, History))
        await press(pilot, "slash", "=outcome:not-accepted", "enter")
        await until(pilot, lambda: "triage" in shown(pilot) and "nightly-audit" not in shown(pilot))
        await press(pilot, "enter")
        main = main_of(pilot)
        await until(pilot, lambda: pilot.app.screen is main)
        assert main.glance.run is not None
        assert main.glance.run.name == "triage"
        assert main.pane is Pane.AGENTS

    drive(screen_on(places), script, size=WIDE)


@pytest.mark.parametrize("size", [NARROW, WIDE])
@pytest.mark.parametrize(
    ("words", "agent", "line"),
    [
        ("thirds in it", "review", "thirds in it"),
        ("3 files skipped", "tests", "warning: 3 files skipped"),  # on standard error
    ],
)
def test_words_in_an_output_lead_to_their_line(
    places: Places, words: str, agent: str, line: str, size: tuple[int, int]
) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "H", "slash", "=workflow:triage", "enter", "f", f"={words}", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Found) and pilot.app.screen.looked)
        assert line in shown(pilot)
        await press(pilot, "enter")
        main = main_of(pilot)
        await until(pilot, lambda: pilot.app.screen is main and "match in line" in shown(pilot))
        assert (main.pane, main.board.agent is not None and main.board.agent.name) == (Pane.OUTPUT, agent)
        assert line in shown(pilot)

    drive(screen_on(places), script, size=size)


def test_words_that_stand_nowhere_say_so(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "H", "f", "=no such words anywhere", "enter")
        await until(pilot, lambda: "these words stand in no output" in shown(pilot))
        await press(pilot, "escape", "escape")
        await until(pilot, lambda: pilot.app.screen is main_of(pilot))

    drive(screen_on(places), script)


def test_a_field_that_makes_no_sense_is_said_while_one_types(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "H", "slash", "=cost:much", "enter")
        await until(pilot, lambda: "is no amount of dollars" in shown(pilot))
        assert "triage" in shown(pilot)

    drive(screen_on(places), script)


def test_a_run_over_time_says_what_happened_when(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", "=triage", "enter", "enter", "T")
        await until(pilot, lambda: isinstance(pilot.app.screen, Timeline))
        text = shown(pilot)
        assert "tests failed: ended with exit status 2" in text
        assert "review: rejected" in text
        await press(pilot, "escape")
        assert pilot.app.screen is main_of(pilot)

    drive(screen_on(places), script)
