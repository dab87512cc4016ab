from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import errors as h
from store import errors as s
from store.model import Outcome
from tests.tui.building import Building
from tests.tui.conftest import Midwatch
from tui import errors as t
from tui.commands.registry import COMMANDS
from tui.failures import explain
from tui.statuses import Status, status_of

MIDWATCH = [sys.executable, "-P", "-m", "tui"]


def test_help_lists_every_command_within_80_columns(midwatch: Midwatch) -> None:
    ran = midwatch("--help")
    assert ran.status == 0
    assert all(f"  {name}" in ran.out for name in COMMANDS)
    assert max(map(len, ran.out.splitlines())) <= 80
    assert midwatch("help").out == ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_takes_json(midwatch: Midwatch, command: str) -> None:
    ran = midwatch(command, "--help")
    assert ran.status == 0
    assert "--json" in ran.out
    assert f"midwatch {command}" in ran.out.partition("for example:")[2]
    assert midwatch("help", command).out == ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_does_not_exist_is_wrong_usage(midwatch: Midwatch, command: str) -> None:
    ran = midwatch(command, "--colour-me")
    assert ran.status == 2
    assert ran.err.startswith("midwatch: ")
    assert f"`midwatch {command} --help`" in ran.err
    assert ran.err.count("\n") == 1


def test_a_mistyped_command_names_the_nearest(midwatch: Midwatch) -> None:
    ran = midwatch("rnus")
    assert (ran.status, ran.out) == (2, "")
    assert "did you mean 'runs'?" in ran.err


def test_without_a_terminal_there_is_no_screen(midwatch: Midwatch) -> None:
    ran = midwatch()
    assert ran.status == 2
    assert "the screen needs a terminal" in ran.err


def test_the_version_is_said(midwatch: Midwatch) -> None:
    assert midwatch("--version").out.startswith("midwatch ")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.COMPLETED, 0),
        (Outcome.WITH_FAILURES, 1),
        (Outcome.NOT_ACCEPTED, 3),
        (Outcome.BLOCKED, 4),
        (Outcome.STOPPED, 5),
        (None, 10),
    ],
)
def test_the_status_tells_the_outcome(outcome: Outcome | None, status: int) -> None:
    assert status_of(outcome) == status


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (t.WrongUsage("no"), 2),
        (h.WorkflowError(Path("a.toml"), 3, "is wrong"), 2),
        (h.SettingsError(Path("config.toml"), 1, "is wrong"), 2),
        (h.InputError("who", "is missing"), 2),
        (h.PromptError("api", "cannot be rendered"), 2),
        (s.AmbiguousRun("7", 3), 2),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates"), 2),
        (t.NotFound("no"), 6),
        (s.RunNotFound("7f"), 6),
        (h.WorkflowNotFound("no"), 6),
        (s.RecordUnavailable("it is damaged"), 7),
        (s.RecordTooNew("it is newer"), 7),
        (s.RecordNotReady("not yet"), 7),
        (h.WatchError("it did not start"), 7),
        (h.SurroundingsError("no"), 7),
        (PermissionError(13, "Permission denied", "/etc/x"), 7),
        (RuntimeError("nobody thought of this"), 7),
        (t.Refused("no"), 8),
        (h.RefusedError("no"), 8),
        (h.NotTrusted(Path("/work")), 8),
        (KeyboardInterrupt(), 130),
    ],
)
@pytest.mark.usefixtures("home")
def test_every_error_is_one_sentence_and_a_status(error: BaseException, status: int) -> None:
    sentence, found = explain(error)
    assert found == status
    assert sentence
    assert "\n" not in sentence


@pytest.mark.usefixtures("home")
def test_an_error_that_quotes_hostile_text_cannot_steer_the_terminal() -> None:
    assert explain(t.NotFound("no \x1b]0;x\x07\x9b2J\u202eagent\nfoo"))[0] == "no ␦agent foo"


def test_a_fault_of_midwatch_itself_is_kept_for_whoever_mends_it(
    midwatch: Midwatch, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError("ouch")

    monkeypatch.setattr("tui.commands.runs.run", broken)
    ran = midwatch("runs")
    kept = home / "state" / "faults.log"
    assert ran.status == 7
    assert "Traceback" not in ran.err
    assert str(kept) in ran.err
    assert "ZeroDivisionError: ouch" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("command", ["trust", "unpause"])
def test_an_agent_may_not_grant(midwatch: Midwatch, home: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("MIDWATCH_ATTEMPT", "record/attempt")
    ran = midwatch(command)
    assert ran.status == 8
    assert "is for a person" in ran.err
    assert not (home / "state").exists()


@pytest.mark.parametrize("command", ["runs", "pause"])
@pytest.mark.parametrize("good", [0, 2 * 4096])  # so many of its first bytes
def test_a_damaged_record_is_a_sentence(midwatch: Midwatch, building: Building, command: str, good: int) -> None:
    building.finished()
    building.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    building.connection.close()
    for path in building.places.state.glob("record.db-*"):
        path.unlink()
    record = building.places.record
    record.write_bytes(record.read_bytes()[:good] + b"not a database" * 10_000)
    ran = midwatch(command)
    assert (ran.status, ran.out) == (7, "")
    assert "it is damaged" in ran.err


def test_a_record_of_a_later_midwatch_is_a_sentence(midwatch: Midwatch, building: Building) -> None:
    building.connection.execute("PRAGMA user_version=9999")
    ran = midwatch("show", "@")
    assert ran.status == 7
    assert "later midwatch" in ran.err


# What only a process of its own shows.


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": ""}


def test_a_reader_that_leaves_early_is_no_error(building: Building) -> None:
    for _ in range(3):
        building.finished()
    process = subprocess.Popen(
        [*MIDWATCH, "events", "@", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=30)
    assert err == b""
    assert process.returncode == Status.PIPE_CLOSED


def test_a_full_disk_behind_standard_output_is_a_sentence(building: Building) -> None:
    building.finished()
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([*MIDWATCH, "runs"], stdout=full, stderr=subprocess.PIPE, env=_environment(), check=False)
    assert ran.returncode == 7
    assert ran.stderr.startswith(b"midwatch: No space left on device")
    assert b"Traceback" not in ran.stderr


def test_a_process_without_standard_output_does_its_work(building: Building) -> None:
    building.finished()
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *MIDWATCH, "show", "@", "--exit-status"],
        stderr=subprocess.PIPE,
        env=_environment(),
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", ""])
def test_output_is_utf_8_in_every_locale_and_signs_are_plain_where_it_is_none(building: Building, locale: str) -> None:
    building.finished(workflow="/flows/große-Änderung-日本.toml")
    environment = {**_environment(), "LC_ALL": locale, "LANG": locale}
    environment.pop("LC_CTYPE", None)
    ran = subprocess.run([*MIDWATCH, "runs"], stdout=subprocess.PIPE, env=environment, check=True)
    row = ran.stdout.decode().splitlines()[1]
    assert row.startswith("+  ")
    assert "große-Änderung-日本" in row


def test_a_stream_of_another_encoding_gets_utf_8_all_the_same(building: Building) -> None:
    building.finished(workflow="/flows/日本.toml")
    environment = {**_environment(), "PYTHONIOENCODING": "latin-1"}
    ran = subprocess.run([*MIDWATCH, "runs"], capture_output=True, env=environment, check=True)
    assert "✓  " in ran.stdout.decode()
    assert "日本" in ran.stdout.decode()


HEAVY = ("textual", "asyncio", "sqlite_utils", "platformdirs", "msgspec", "jinja2", "tomlkit", "psutil", "subprocess")


def test_the_start_up_path_leaves_heavy_imports_out(building: Building) -> None:
    building.finished()
    program = (
        "import sys; from tui.__main__ import main; status = main(['runs']);"
        f"found = [name for name in {HEAVY!r} if name in sys.modules];"
        "sys.exit(f'imported {found}' if found else status)"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "completed" in ran.stdout
