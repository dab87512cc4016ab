from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.tui.building import Building
from tests.tui.conftest import Midwatch


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _program(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.mark.usefixtures("path")
def test_without_anything_it_says_what_is_missing(midwatch: Midwatch, home: Path) -> None:
    ran = midwatch("doctor", "--json")
    assert ran.status == 0
    assert ran.json["record"]["exists"] is False
    assert all(cli["path"] is None for cli in ran.json["clis"])
    assert any("no agent CLI" in problem for problem in ran.json["problems"])
    assert not home.exists()


def test_a_cli_on_the_path_says_its_version_and_never_its_secret(
    midwatch: Midwatch, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    _program(path, "claude", "echo '2.1.9 (Claude Code)'")
    ran = midwatch("doctor")
    assert "2.1.9" in ran.out
    assert "sk-very-secret" not in ran.out + midwatch("doctor", "--json").out
    (claude,) = [cli for cli in midwatch("doctor", "--json").json["clis"] if cli["name"] == "claude"]
    assert (claude["path"], claude["version"]) == (str(path / "claude"), "2.1.9")
    assert claude["credential"]["place"] == "ANTHROPIC_API_KEY"


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo 'GitHub Copilot CLI 1.0.102.'", "1.0.102"),
        ("echo 0.73.1 >&2", "0.73.1"),
        ("echo 'node 22.1.0' >&2; echo v2.0.1-beta.3+b5", "2.0.1-beta.3+b5"),
    ],
)
def test_a_version_is_read_wherever_it_is_said(midwatch: Midwatch, path: Path, script: str, version: str) -> None:
    _program(path, "pi", script)
    (pi,) = [cli for cli in midwatch("doctor", "--json").json["clis"] if cli["name"] == "pi"]
    assert pi["version"] == version


@pytest.mark.parametrize("script", ["exit 3", "echo no number here", "printf '\\033]0;x\\007'"])
def test_a_cli_that_does_not_say_its_version_has_an_unknown_one(midwatch: Midwatch, path: Path, script: str) -> None:
    _program(path, "claude", script)
    (claude,) = [cli for cli in midwatch("doctor", "--json").json["clis"] if cli["name"] == "claude"]
    assert claude["version"] is None
    ran = midwatch("doctor")
    assert "unknown" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.usefixtures("path")
def test_a_record_that_is_well_is_said_to_be(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    ran = midwatch("doctor", "--json")
    assert ran.status == 0
    assert ran.json["record"]["sound"] == "yes"
    assert ran.json["record"]["size"] > 0
    out = midwatch("doctor").out
    assert "sound: yes" in out and "of this machine: no" in out
    assert [line.partition(":")[0] for line in out.splitlines()].count("  machine") == 1


@pytest.mark.usefixtures("path")
def test_a_damaged_record_is_found_and_all_else_is_looked_at(midwatch: Midwatch, building: Building) -> None:
    building.finished()
    building.connection.close()
    content = bytearray(building.places.record.read_bytes())
    content[8192:16384] = b"\xff" * 8192
    building.places.record.write_bytes(content)
    ran = midwatch("doctor", "--json")
    assert ran.status == 7
    assert any("damaged" in problem for problem in ran.json["problems"])
    assert ran.json["system"]["python"]


@pytest.mark.usefixtures("path")
def test_wrong_settings_are_a_problem_and_not_the_end(midwatch: Midwatch, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[screan]\n[notices]\nbel = true\n")
    problems = midwatch("doctor", "--json").json["problems"]
    assert [any(f"config.toml:{line}" in problem for problem in problems) for line in (1, 3)] == [True, True]


@pytest.mark.usefixtures("path")
def test_an_old_sqlite_is_named(midwatch: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    assert any("3.51.3" in problem for problem in midwatch("doctor", "--json").json["problems"])
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
    assert not any("3.51.3" in problem for problem in midwatch("doctor", "--json").json["problems"])


@pytest.mark.usefixtures("path")
def test_a_locale_without_utf_8_is_named(midwatch: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    ran = midwatch("doctor", "--json")
    assert ran.json["terminal"]["utf8_locale"] is False
    assert any("LANG" in problem for problem in ran.json["problems"])
