"""From a crash to a resume by keys alone, on the real screen in a terminal of tmux (R8–R11)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.conftest import Program, until
from tests.journeys.test_recovery import kill_watch, night

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Tmux:
    """One window on a tmux server of its own, in which the program runs as a person starts it."""

    def __init__(self, midwatch: Program, socket: Path) -> None:
        self._socket = str(socket)
        command = shlex.join(["env", "-u", "COLUMNS", "-u", "LINES", sys.executable, "-m", "tui"])
        environment = {"MIDWATCH_HOME": str(midwatch.home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
        settings = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        size = ["-x", "120", "-y", "36"]
        where = ["-c", str(midwatch.project)]
        self._call("-f", "/dev/null", "new-session", "-d", *size, *settings, *where, command)

    def _call(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words], capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout

    def shown(self) -> str:
        """What stands on it."""
        return self._call("capture-pane", "-p")

    def wait_for(self, text: str) -> str:
        """What stands on it once this does."""
        return str(until(lambda: (now := self.shown()) and text in now and now, what=f"{text!r} on the screen"))

    def press(self, *keys: str) -> None:
        """Types them."""
        self._call("send-keys", *keys)

    def gone(self) -> bool:
        """Whether the program has left."""
        return not self.shown()

    def close(self) -> None:
        """Ends this server."""
        self._call("kill-server")


@pytest.fixture
def window(midwatch: Program, tmp_path: Path) -> Iterator[Tmux]:
    """The screen on a record whose watch was killed in mid-run."""
    run = night(midwatch)
    kill_watch(midwatch, run)
    opened = Tmux(midwatch, tmp_path / "tmux")
    yield opened
    opened.close()


def test_what_was_cut_off_is_told_and_taken_up_by_keys_alone(midwatch: Program, window: Tmux) -> None:
    told = window.wait_for("1 run was cut off.")
    assert "The watch ended" in told and "Nothing is running and nothing is being spent." in told
    assert "may be done, and paid for, again" in told
    assert "kept: 1 turn, $0.50" in told and "its session can be taken up" in told and "never started: c" in told
    assert len(midwatch.json("runs")) == 1  # nothing has begun by itself
    window.press("Space")
    window.wait_for("[x] b")
    window.press("r")
    resumed = until(lambda: next((one for one in midwatch.json("runs") if one["continues"]), None))
    finished = midwatch.until_finished(resumed["run"])
    assert finished["outcome"] == "completed"
    assert "resumed s-1" in midwatch("logs", resumed["run"], "b")
    shown = window.wait_for("completed")
    assert "cut off (R)" not in shown
    window.press("q")
    until(window.gone, what="the screen leaving")


def test_later_keeps_a_mark_and_discard_by_keys_settles_it(midwatch: Program, window: Tmux) -> None:
    window.wait_for("1 run was cut off.")
    window.press("Escape")
    window.wait_for("1 cut off (R)")
    window.press("R")
    window.wait_for("1 run was cut off.")
    window.press("x")
    window.wait_for("Nothing of this run is offered again")
    window.press("Enter")
    until(lambda: "cut off (R)" not in window.shown() and "1 run was cut off." not in window.shown())
    assert midwatch.json("recover") == []
    assert midwatch.show("@")["discarded"]
