from __future__ import annotations

from pathlib import Path

import pytest

from store.paths import Places
from tui.theme_choice import DARK, LIGHT, PLAIN_DARK, PLAIN_LIGHT, ThemeChoice

MANY = {"TERM": "xterm-256color"}
KNOWN = {DARK, LIGHT, PLAIN_DARK, PLAIN_LIGHT, "nord"}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places.of_environment({"MIDWATCH_HOME": str(tmp_path)})
    found.prepare()
    return found


@pytest.mark.parametrize(
    ("environment", "no_color", "expected"),
    [
        (MANY, False, DARK),
        ({**MANY, "COLORFGBG": "0;15"}, False, LIGHT),
        ({**MANY, "COLORFGBG": "15;0"}, False, DARK),
        ({"TERM": "linux"}, False, PLAIN_DARK),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, False, DARK),
        (MANY, True, PLAIN_DARK),
        ({**MANY, "COLORFGBG": "0;15"}, True, PLAIN_LIGHT),
    ],
)
def test_without_a_choice_the_terminal_decides(
    places: Places, environment: dict[str, str], no_color: bool, expected: str
) -> None:
    assert ThemeChoice(places, None, environment).first(KNOWN, no_color=no_color) == expected


def test_what_was_chosen_on_screen_comes_back(places: Places) -> None:
    ThemeChoice(places, None, MANY).keep("nord")
    assert ThemeChoice(places, None, MANY).first(KNOWN, no_color=False) == "nord"


def test_the_settings_go_before_what_was_chosen_on_screen_and_a_choice_says_so(places: Places) -> None:
    ThemeChoice(places, None, MANY).keep("nord")
    choice = ThemeChoice(places, LIGHT, MANY)
    assert choice.first(KNOWN, no_color=False) == LIGHT
    assert "config.toml" in choice.note


@pytest.mark.parametrize("remembered", ["", "gone", "\x00\xff"])
def test_a_theme_that_does_not_exist_is_passed_over(places: Places, remembered: str) -> None:
    ThemeChoice(places, None, MANY).keep(remembered)
    assert ThemeChoice(places, "also-gone", MANY).first(KNOWN, no_color=False) == DARK
