"""Where everything lies."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from store.errors import RecordUnavailable
from store.paths import Places, machine_id, open_private, private_folder, project_of


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_midwatch_home_holds_everything(tmp_path: Path) -> None:
    places = Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "h")})
    assert places.settings == tmp_path / "h" / "config.toml"
    assert places.workflows == tmp_path / "h" / "workflows"
    assert places.record == tmp_path / "h" / "state" / "record.db"
    assert places.watch_log == tmp_path / "h" / "state" / "watch.log"
    assert places.journal("r1", "api", 2, "out") == tmp_path / "h" / "state" / "journals" / "r1" / "api.2.out"
    assert places.journals_of("r1") == places.journal("r1", "api", 2, "exit").parent
    assert not (tmp_path / "h").exists()


def test_another_process_finds_the_same_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    places = Places.of_environment({"MIDWATCH_HOME": "some/../h"})
    assert places.state == tmp_path / "h" / "state"
    monkeypatch.chdir("/")
    assert Places.of_environment(places.environment()) == places


def test_without_it_the_platform_says_and_the_machine_has_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for environment in ({}, {"MIDWATCH_HOME": ""}):
        places = Places.of_environment(environment)
        assert places.settings == tmp_path / "config" / "midwatch" / "config.toml"
        assert places.workflows == tmp_path / "config" / "midwatch" / "workflows"
        assert places.record == tmp_path / "state" / "midwatch" / places.machine / "record.db"
        assert places.environment() == {}


def test_folders_are_for_this_user_only_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = os.umask(0)
    try:
        named = Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "h")})
        usual = Places.of_environment({})
        for places in (named, usual):
            places.prepare()
            places.prepare()
        descriptor = open_private(usual.watch_log, os.O_WRONLY | os.O_CREAT)
        os.close(descriptor)
    finally:
        os.umask(before)
    for places in (named, usual):
        assert [mode(folder) for folder in (places.state, places.journals, places.handoffs)] == [0o700] * 3
    assert mode(tmp_path / "state" / "midwatch") == 0o700
    assert mode(tmp_path / "h") == 0o700
    assert mode(usual.watch_log) == 0o600


def test_a_home_that_the_person_made_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    (tmp_path / "h").chmod(0o755)
    Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "h")}).prepare()
    assert (mode(tmp_path / "h"), mode(tmp_path / "h" / "state")) == (0o755, 0o700)


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o755)
    private_folder(tmp_path / "state")
    assert mode(tmp_path / "state") == 0o700


def test_a_folder_that_cannot_be_had_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(RecordUnavailable, match=r"folder .* cannot be used.*MIDWATCH_HOME"):
            private_folder(path)


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may use it (a container's volume); anybody else must not trust what lies in it."""
    (tmp_path / "theirs").mkdir(mode=0o755)
    owner = (tmp_path / "theirs").stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(RecordUnavailable, match="belongs to another user"):
        private_folder(tmp_path / "theirs")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    private_folder(tmp_path / "theirs")


def test_a_private_file_is_never_opened_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic links"):
        open_private(tmp_path / "link", os.O_WRONLY | os.O_CREAT)
    assert not (tmp_path / "target").exists()


def test_the_longest_name_in_any_script_is_a_file_name_of_its_own(tmp_path: Path) -> None:
    places = Places.of_environment({"MIDWATCH_HOME": str(tmp_path)})
    names = ["a" * 64, "調" * 64, "𠀀" * 64, "𠀀" * 63 + "𠀁"]
    files = [places.journal("r", name, 10_000, "answer") for name in names]
    files[0].parent.mkdir(parents=True)
    for file in files:
        file.touch(exist_ok=False)
    assert files[0].name == "a" * 64 + ".10000.answer"
    assert files[1].name == "調" * 64 + ".10000.answer"


def test_the_project_is_the_nearest_folder_with_a_mark(tmp_path: Path) -> None:
    (tmp_path / "outer" / ".git").mkdir(parents=True)
    (tmp_path / "outer" / "inner" / ".midwatch").mkdir(parents=True)
    (tmp_path / "outer" / "inner" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "outer" / "tree").mkdir()
    (tmp_path / "outer" / "tree" / ".git").write_text("gitdir: ../.git/worktrees/tree")
    outer = tmp_path / "outer"

    assert project_of(outer) == outer
    assert project_of(outer / "inner" / "deep" / "er") == outer / "inner"
    assert project_of(outer / "inner" / ".midwatch" / "ship.toml") == outer / "inner"
    assert project_of(outer / "tree") == outer / "tree"
    assert project_of(tmp_path) is None


def test_the_machine_has_an_id_that_is_a_folders_name() -> None:
    found = machine_id()
    assert found == machine_id()
    assert 0 < len(found) <= 64
    assert not set(found) & set("/. \n")


def test_with_a_home_nothing_is_imported_to_find_it() -> None:
    code = (
        "import sys; from store.paths import Places; Places.of_environment({'MIDWATCH_HOME': '/h'})\n"
        "print([name for name in ('platformdirs', 'hashlib', 'ctypes', 'shutil') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
