from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.lock import Lock
from store.model import Outcome
from store.paths import Places
from tests.tui.building import Building
from tests.tui.terminal import TerminalProgram
from tui.app import _textual_told
from tui.signals import _RESTORED

SCREEN = ("-m", "tui")
RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1006l", b"\x1b[?2004l")
ROOT = Path(__file__).parents[2]

Start = Callable[..., TerminalProgram]


@pytest.fixture
def building(tmp_path: Path) -> Iterator[Building]:
    """A record with one live run; its watch is this process, or the screen would have it settled."""
    made = Building(Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")}))
    made.launch()
    watch = Lock(made.places.watch_lock)
    assert watch.take()
    yield made
    watch.close()
    made.connection.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the real program on a terminal."""
    started: list[TerminalProgram] = []

    def run(*arguments: str, **environment: str) -> TerminalProgram:
        settled = {
            "MIDWATCH_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            **environment,
        }
        started.append(TerminalProgram(arguments or SCREEN, settled))
        return started[-1]

    yield run
    for program in started:
        program.close()


def state_of(building: Building) -> list[tuple[str]]:
    return building.connection.execute("SELECT state FROM runs").fetchall()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_screen_gives_the_terminal_back_and_leaves_the_runs_going(
    start: Start, building: Building, number: signal.Signals
) -> None:
    program = start()
    program.wait_for("waits for")
    program.process.send_signal(number)
    assert program.ended() == 128 + number
    assert all(sequence in program.written for sequence in RESTORED)
    assert program.modes() == program.modes_before
    assert state_of(building) == [("live",)]


def test_a_line_that_is_lost_ends_the_screen_and_leaves_the_runs_going(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    program.hang_up()
    assert program.ended() in (129, -signal.SIGHUP)
    assert state_of(building) == [("live",)]


def test_leaving_by_key_ends_with_status_0(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    program.send(b"q")
    program.wait_for("Leave the screen?")
    program.send(b"\r")
    assert program.ended() == 0
    assert all(sequence in program.written for sequence in RESTORED)


def test_bytes_that_are_no_text_are_no_fault(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    program.send(b"\xff\xfe\xc3")
    program.send(b"q")
    program.wait_for("Leave the screen?")
    program.send(b"\r")
    assert program.ended() == 0


def test_a_record_of_a_later_midwatch_is_a_sentence_and_status_7(start: Start, building: Building) -> None:
    with sqlite3.connect(building.places.record) as connection:
        connection.execute("PRAGMA user_version=999")
    connection.close()
    program = start()
    assert program.ended() == 7
    assert b"later midwatch" in program.written
    assert b"\x1b[?1049h" not in program.written
    assert b"Traceback" not in program.written


def test_settings_that_are_not_valid_are_a_sentence_and_status_2(start: Start, building: Building) -> None:
    (building.places.settings).write_text("[screen]\nthem = 'nord'\n")
    program = start()
    assert program.ended() == 2
    assert b"config.toml:2" in program.written


def test_a_theme_that_does_not_exist_is_a_sentence_with_the_nearest_name(start: Start, building: Building) -> None:
    (building.places.settings).write_text("[screen]\ntheme = 'nrod'\n")
    program = start()
    assert program.ended() == 2
    assert b"did you mean 'nord'?" in program.written
    assert b"\x1b[?1049h" not in program.written


def test_a_signal_is_heard_at_once_by_a_screen_on_which_nothing_happens(start: Start, building: Building) -> None:
    (run,) = [row[0] for row in building.connection.execute("SELECT id FROM runs")]
    building.finish(run, Outcome.COMPLETED)
    program = start()
    program.wait_for("completed")
    program.quiet()
    program.process.terminate()
    assert program.ended() == 128 + signal.SIGTERM
    assert _RESTORED not in program.written  # what is written when a clean end takes too long


def test_a_key_for_an_action_that_does_not_exist_is_a_sentence_with_the_nearest_name(
    start: Start, building: Building
) -> None:
    (building.places.settings).write_text("[keys]\nlanch = 'x'\n")
    program = start()
    assert program.ended() == 2
    assert b"launch" in program.written


def test_a_fault_leaves_its_text_in_a_file_and_one_line_on_a_terminal_that_was_given_back(
    start: Start, building: Building
) -> None:
    fault = (
        "import sys, tui.screens.main as main\n"
        "def look(self, run=None): raise ZeroDivisionError('on purpose')\n"
        "main.Main._tick = main.Main._look_for_news = look\n"
        "from tui.__main__ import main\n"
        "sys.exit(main([]))\n"
    )
    program = start("-c", fault)
    assert program.ended() == 7
    after = program.written.rpartition(b"\x1b[?1049l")[2]
    assert after.count(b"midwatch: ") == 1
    assert b"ZeroDivisionError" in after and b"Traceback" not in program.written
    assert all(sequence in program.written for sequence in RESTORED)
    assert program.modes() == program.modes_before
    assert "on purpose" in (building.places.state / "faults.log").read_text()


def test_while_it_is_open_the_watch_can_tell_that_somebody_looks(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    lock = Lock(building.places.looking_lock)
    assert lock.held_by_another()
    program.process.terminate()
    program.ended()
    assert not lock.held_by_another()
    lock.close()


def test_the_mouse_is_never_asked_for_every_movement(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    assert b"\x1b[?1003h" not in program.written
    assert b"\x1b[?1000h" in program.written


def test_over_ssh_the_mouse_is_left_to_the_terminal(start: Start, building: Building) -> None:
    program = start(SSH_CONNECTION="10.0.0.1 1 10.0.0.2 22")
    program.wait_for("waits for")
    assert b"\x1b[?1000h" not in program.written


def test_the_first_frame_is_sent_once(start: Start, building: Building) -> None:
    program = start()
    program.wait_for("waits for")
    program.process.terminate()
    program.ended()
    assert program.written.count(b"all workflows") <= 2  # once more when workflow files were found


def test_what_textual_is_told_is_not_in_the_environment_that_agents_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXTUAL_ANIMATIONS", raising=False)
    monkeypatch.setenv("TEXTUAL_FPS", "7")
    before = dict(os.environ)
    with _textual_told(far_away=True, motion=None):
        assert os.environ["TEXTUAL_ANIMATIONS"] == "none"
        assert os.environ["TEXTUAL_FPS"] == "7"
    assert dict(os.environ) == before
