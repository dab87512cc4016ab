"""At 80x24, on a real terminal: the pane that the hand goes to is the one that stands there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from harness.lock import Lock
from store.paths import Places
from tests.tui.building import Building
from tests.tui.terminal import DEADLINE_S, TerminalProgram

ROOT = Path(__file__).parents[2]
TAB, ENTER, ESCAPE = b"\t", b"\r", b"\x1b"


@pytest.fixture
def program(tmp_path: Path) -> Iterator[TerminalProgram]:
    """The screen on a record with one live run, whose watch this process is."""
    home = tmp_path / "home"
    building = Building(Places.of_environment({"MIDWATCH_HOME": str(home)}))
    building.launch()
    watch = Lock(building.places.watch_lock)
    assert watch.take()
    environment = {"MIDWATCH_HOME": str(home), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    made = TerminalProgram(("-m", "tui"), environment, size=(80, 24))
    yield made
    made.close()
    watch.close()
    building.connection.close()


def wait_for_pane(program: TerminalProgram, title: str) -> None:
    """Returns when a frame with this title stands on the terminal as an emulator shows it."""
    deadline = time.monotonic() + DEADLINE_S
    shown: list[str] = []
    while time.monotonic() < deadline:
        program.quiet(0.1)
        screen = pyte.Screen(80, 24)
        pyte.ByteStream(screen).feed(program.written)
        shown = [line.rstrip() for line in screen.display]
        if any(line.startswith("\u256d\u2500 ") and title in line for line in shown):
            return
    pytest.fail(f"no pane {title!r}:\n" + "\n".join(shown))


def test_whichever_way_a_pane_comes_to_the_front_it_is_painted(program: TerminalProgram) -> None:
    wait_for_pane(program, "Workflows")
    for key, title in (
        (TAB, "Runs"),
        (ENTER, "live"),
        (ESCAPE, "Runs"),
        (TAB, "live"),
        (TAB, "output"),
        (ESCAPE, "live"),
        (ENTER, "output"),
    ):
        program.send(key)
        wait_for_pane(program, title)
