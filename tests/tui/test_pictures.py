"""How the screens look, from a prepared record under a fixed clock, size, theme and place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from store.paths import Places
from tests.tui.driving import files_read, output_read, press, screen_on, until
from tests.tui.scenes import busy, fixed_ids
from tui.midwatch import Midwatch
from tui.screens.found import Found
from tui.screens.launch import Launch

WIDE, NARROW = (120, 36), (80, 24)

SnapCompare = Callable[..., bool]


@pytest.fixture(autouse=True)
def still_cursors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cursor that blinks is in every second picture."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)


@pytest.fixture
def places(home: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A busy evening whose ids are the same every time, on a box without Gemini."""
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home.parent))
    programs = home.parent / "programs"
    programs.mkdir()
    for name in ("claude", "codex", "python"):
        (programs / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(programs))
    with fixed_ids():
        return busy(home).places


def take(snap_compare: SnapCompare, app: Midwatch, size: tuple[int, int], *keys: str) -> bool:
    """Whether the picture after these keys is the one that was looked at and kept."""

    async def before(pilot: Pilot[int]) -> None:
        await files_read(pilot)
        await press(pilot, *keys)
        screen = app.screen
        if isinstance(screen, Launch):
            await until(pilot, lambda: screen.plan.count() > 0 and bool(screen.focused))
        if isinstance(screen, Found):
            await until(pilot, lambda: screen.looked)
        await output_read(pilot)

    return snap_compare(app, terminal_size=size, run_before=before)


SCREENS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("main", ("down", "enter", "down", "enter")),
    ("failed_agent", ("slash", "=triage", "enter", "enter", "enter", "G", "k", "enter")),
    ("all_workflows", ()),
    ("search", ("down", "enter", "down", "enter", "enter", "slash", "=total", "enter")),
    ("stop", ("down", "enter", "down", "s")),
    ("launch", ("down", "n")),
    ("help", ("question_mark",)),
    ("usage", ("u",)),
    ("events", ("down", "enter", "down", "enter", "e")),
    ("timeline", ("slash", "=triage", "enter", "enter", "T")),
    ("history", ("H",)),
    ("found", ("H", "f", "=total", "enter")),
    ("sentence", ("slash", "=backport", "enter", "n")),
)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("keys", [keys for _, keys in SCREENS], ids=[name for name, _ in SCREENS])
def test_screen(snap_compare: SnapCompare, places: Places, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    assert take(snap_compare, screen_on(places), size, *keys)


def test_light(snap_compare: SnapCompare, places: Places) -> None:
    assert take(snap_compare, screen_on(places), WIDE, "down", "enter", "down", "t")


def test_without_colour(snap_compare: SnapCompare, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert take(snap_compare, screen_on(places), WIDE, "down", "enter", "down")


def test_ascii(snap_compare: SnapCompare, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    assert take(snap_compare, screen_on(places), NARROW, "down", "enter", "down", "enter")


def test_first_run(snap_compare: SnapCompare, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home.parent))
    assert take(snap_compare, screen_on(Places.of_environment({"MIDWATCH_HOME": str(home)})), NARROW)
