from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import pytest

from harness.lock import Lock
from store import events as e
from store.model import Outcome, Role
from store.plan import Plan, PlannedAgent, PlannedWave
from tests.tui.building import Building
from tests.tui.conftest import Midwatch

PLAN = Plan(
    waves=(
        PlannedWave(
            name="w",
            agents=(
                PlannedAgent(name="api", role=Role.DEVELOPER, cli="command", metered=False),
                PlannedAgent(name="script", role=Role.DEVELOPER, cli="command", reports=True),
            ),
        ),
    )
)
HOSTILE = b"one \x1b[31mred\x1b[0m\n\x1b]0;owned\x07two\xff\nthree without end"


@pytest.fixture
def run(building: Building) -> str:
    """A finished run of a plain command and a script that reports."""
    run = building.launch(plan=PLAN)
    for agent in ("api", "script"):
        building.start(run, agent)
    _journal(building, run, "api", "out").write_bytes(HOSTILE)
    _journal(building, run, "api", "err").write_bytes(b"careful\x1b[2J\n")
    lines = [
        {"report": "session", "id": "s"},
        {"report": "text", "text": "reading\nsrc/api.py"},
        {"report": "tool", "name": "grep", "detail": "def \x1b[2Jtotal"},
        {"report": "error", "kind": "rate_limit", "message": "slow down"},
        {"report": "usage", "input": 5},
    ]
    _journal(building, run, "script", "out").write_text("\n".join([*map(json.dumps, lines), "plain words", ""]))
    building.done_already(run, "api", "script")
    building.finish(run, Outcome.COMPLETED)
    return run


def _journal(building: Building, run: str, agent: str, part: str) -> Path:
    path = building.places.journal(run, agent, 1, part)  # type: ignore[arg-type]
    path.parent.mkdir(exist_ok=True)
    return path


def test_one_agents_output_is_harmless_and_its_errors_go_to_standard_error(midwatch: Midwatch, run: str) -> None:
    ran = midwatch("logs", run, "api")
    assert ran.out == "one red\ntwo␦\nthree without end\n"
    assert ran.err == "careful\n"


def test_an_agent_is_found_however_its_name_was_typed(midwatch: Midwatch, building: Building) -> None:
    name = unicodedata.normalize("NFC", "prüfer")
    planned = PlannedAgent(name=name, role=Role.DEVELOPER, cli="command", metered=False)
    run = building.launch(plan=Plan(waves=(PlannedWave(name="w", agents=(planned,)),)))
    building.start(run, name)
    _journal(building, run, name, "out").write_bytes(b"here\n")
    building.done_already(run, name)
    building.finish(run, Outcome.COMPLETED)
    typed = unicodedata.normalize("NFD", name)
    assert typed != name
    assert midwatch("logs", run, typed).out == "here\n"


def test_reports_are_shown_as_words_and_deeds(midwatch: Midwatch, run: str) -> None:
    assert midwatch("logs", run, "script").out.splitlines() == [
        "reading",
        "src/api.py",
        "> grep def total",
        "! rate limit: slow down",
        "plain words",
        "! ended with an error: slow down",
    ]


def test_all_agents_have_their_names_before_each_line(midwatch: Midwatch, run: str) -> None:
    out = midwatch("logs", run).out.splitlines()
    assert out[0] == "api    | one red"
    assert "script | > grep def total" in out


def test_lines_for_machines_are_as_they_were_printed(midwatch: Midwatch, run: str) -> None:
    document = midwatch("logs", run, "api", "--json").json
    assert document[0] == {"agent": "api", "attempt": 1, "stream": "out", "line": "one \x1b[31mred\x1b[0m"}
    assert [one["stream"] for one in document] == ["out", "out", "err", "out"]


def test_raw_gives_every_byte(run: str, building: Building) -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "tui", "logs", run, "api", "--raw"], capture_output=True, check=True
    )
    assert ran.stdout == HOSTILE
    assert ran.stderr == b"careful\x1b[2J\n"


def test_raw_never_drives_a_terminal(run: str, building: Building) -> None:
    ours, theirs = pty.openpty()
    try:
        ran = subprocess.run(
            [sys.executable, "-P", "-m", "tui", "logs", run, "api", "--raw"],
            stdout=theirs,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert ran.returncode == 2
    assert b"drive this terminal" in ran.stderr


@pytest.mark.parametrize("words", [("--raw",), ("api", "--raw", "--json")])
def test_raw_is_for_one_agent_and_not_json(midwatch: Midwatch, run: str, words: tuple[str, ...]) -> None:
    assert midwatch("logs", run, *words).status == 2


def test_an_agent_that_is_not_in_the_run_names_the_nearest(midwatch: Midwatch, run: str) -> None:
    ran = midwatch("logs", run, "scirpt")
    assert ran.status == 6
    assert "did you mean 'script'?" in ran.err


def test_nothing_printed_is_said(midwatch: Midwatch, building: Building) -> None:
    ran = midwatch("logs", building.launch())
    assert (ran.status, ran.out) == (0, "")
    assert "nothing was printed" in ran.err


def test_following_a_run_without_a_watch_ends_and_says_why(midwatch: Midwatch, building: Building) -> None:
    run = building.launch(plan=PLAN)
    building.start(run, "api")
    _journal(building, run, "api", "out").write_bytes(b"so far\n")
    ran = midwatch("logs", run, "api", "-f")
    assert ran.out == "so far\n"
    assert "no watch lives" in ran.err


def test_following_shows_what_comes_and_ends_with_the_agent(building: Building) -> None:
    run = building.launch(plan=PLAN)
    building.start(run, "api")
    out = _journal(building, run, "api", "out")
    out.write_bytes(b"first\n")
    lock = Lock(building.places.watch_lock)
    assert lock.take()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tui", "logs", run, "-f", "api"], stdout=subprocess.PIPE, text=True
    )
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        with out.open("ab") as file:
            file.write(b"sec")
            file.flush()
            file.write(b"ond\nlast without end")
        assert process.stdout.readline() == "second\n"
        building.done_already(run, "api")
        assert process.stdout.read() == "last without end\n"
        assert process.wait(60) == 0
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
        lock.close()


def test_an_evicted_attempt_of_a_cli_that_nobody_knows_is_text(midwatch: Midwatch, building: Building) -> None:
    plan = Plan(waves=(PlannedWave(name="w", agents=(PlannedAgent(name="a", role=Role.WRITER, cli="of-the-future"),)),))
    run = building.launch(plan=plan)
    building.start(run, "a")
    _journal(building, run, "a", "out").write_bytes(b'{"type": "text"}\n')
    building.write(e.DelegationFailed(run=run, agent="a", detail="no such cli"))
    assert midwatch("logs", run, "a").out == '{"type": "text"}\n'
