"""How the screens for whoever comes back look, from prepared records under a fixed clock, size, theme and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from store.paths import Places
from tests.tui.driving import files_read, main_of, output_read, press, screen_on, until
from tests.tui.returning import cut_off, failing, quiet_evening
from tests.tui.scenes import HOUR, NOW, Scene, fixed_ids
from tui.midwatch import Midwatch

WIDE, NARROW = (120, 36), (80, 24)

SnapCompare = Callable[..., bool]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """What changes from picture to picture: a cursor that blinks, when the box started, the home."""
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)
    monkeypatch.setattr("tui.cut_off.booted_at", lambda: NOW - 8 * HOUR)
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home.parent))


def record_of(build: Callable[[Path], Scene], home: Path) -> Places:
    with fixed_ids():
        return build(home).places


def take(snap_compare: SnapCompare, app: Midwatch, size: tuple[int, int], *keys: str) -> bool:
    """Whether the picture after these keys is the one that was looked at and kept."""

    async def before(pilot: Pilot[int]) -> None:
        await files_read(pilot)
        await until(pilot, lambda: main_of(pilot).settled)
        await press(pilot, *keys)
        await output_read(pilot)

    return snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(
    "keys", [("space",), ("e",), ("x",), ("escape",)], ids=["recovery", "edit", "discard", "later"]
)
def test_recovery(snap_compare: SnapCompare, home: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    assert take(snap_compare, screen_on(record_of(cut_off, home)), size, *keys)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("keys", [(), ("w",), ("D",)], ids=["line", "away", "letters"])
def test_away(snap_compare: SnapCompare, home: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    assert take(snap_compare, screen_on(record_of(quiet_evening, home)), size, *keys)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("keys", [("C",), ("C", "enter")], ids=["credentials", "credential"])
def test_credentials(snap_compare: SnapCompare, home: Path, keys: tuple[str, ...], size: tuple[int, int]) -> None:
    assert take(snap_compare, screen_on(record_of(failing, home)), size, *keys)


def test_recovery_light(snap_compare: SnapCompare, home: Path) -> None:
    assert take(snap_compare, screen_on(record_of(cut_off, home)), WIDE, "escape", "t", "R", "space")


def test_recovery_without_colour(snap_compare: SnapCompare, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert take(snap_compare, screen_on(record_of(cut_off, home)), WIDE, "space")


def test_recovery_ascii(snap_compare: SnapCompare, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    assert take(snap_compare, screen_on(record_of(cut_off, home)), NARROW, "space", "e")
