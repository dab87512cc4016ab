"""What the launching terminal gives its agents, and how it gets to the watch."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import SurroundingsError
from harness.surroundings import Surroundings, capture, for_agent, hand_over, sweep, take

TERMINAL = Surroundings(
    env={"PATH": "/bin", "NOT_UTF8": "\udcff", "TMUX": "/tmp/tmux-0/default,1,0", "TMUX_PANE": "%1", "NO_COLOR": "1"},
    cwd="/somewhere",
    umask=0o027,
    limits={"RLIMIT_NOFILE": (256, None)},
)


def test_they_are_those_of_the_process(tmp_path: Path) -> None:
    code = (
        "import os, resource; os.umask(0o027); resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))\n"
        "from harness.surroundings import capture, hand_over\n"
        "from pathlib import Path; hand_over(capture(), Path(os.environ['TO']), 'req1')\n"
    )
    env = {**os.environ, "TO": str(tmp_path), "MARKED": "yes\nno"}
    subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, env=env, check=True)

    found = take(tmp_path, "req1")

    assert found.env["MARKED"] == "yes\nno"
    assert found.env["TO"] == str(tmp_path)
    assert found.cwd == str(tmp_path)
    assert found.umask == 0o027
    assert found.limits["RLIMIT_NOFILE"] == (64, 128)
    assert set(found.limits) >= {"RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_NPROC"}


def test_looking_at_them_changes_nothing() -> None:
    before = os.umask(0o022)
    try:
        assert capture().umask == 0o022
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert capture().limits["RLIMIT_NOFILE"] == (soft, hard)


def test_no_limit_is_told_as_none() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
    assert soft == resource.RLIM_INFINITY
    assert capture().limits["RLIMIT_CPU"][0] is None


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os; os.rmdir(os.getcwd())\n"
        "from harness.errors import SurroundingsError; from harness.surroundings import capture\n"
        "try: capture()\n"
        "except SurroundingsError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=gone, capture_output=True, text=True, check=True)
    assert "does not exist any more" in done.stdout


def test_handed_over_and_taken_once(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = hand_over(TERMINAL, tmp_path, "req1")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    assert take(tmp_path, "req1") == TERMINAL
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SurroundingsError, match="launch again"):
        take(tmp_path, "req1")


def test_nothing_that_is_there_is_written_over_or_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "dangling").symlink_to(tmp_path / "elsewhere")
    for taken in ("target", "link", "dangling"):
        with pytest.raises(SurroundingsError):
            hand_over(TERMINAL, tmp_path, taken)
    assert target.read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("request_id", ["", ".", "..", "../x", "a/b", "a\0b", "x" * 65])
def test_an_id_that_is_none_touches_no_file(tmp_path: Path, request_id: str) -> None:
    with pytest.raises(SurroundingsError, match="not the id"):
        hand_over(TERMINAL, tmp_path, request_id)
    with pytest.raises(SurroundingsError, match="not the id"):
        take(tmp_path, request_id)


def test_a_planted_file_is_not_believed(tmp_path: Path) -> None:
    good = hand_over(TERMINAL, tmp_path, "good").read_bytes()
    (tmp_path / "open").write_bytes(good)
    (tmp_path / "open").chmod(0o644)
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, content in {
        "half": good[:40],
        "list": b"[1]",
        "none": b"",
        "odd": b'{"env": 1, "limits": {"a": 3}}',
    }.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    for name in ("open", "pipe", "half", "list", "none", "odd"):
        with pytest.raises(SurroundingsError, match="not left as midwatch leaves it"):
            take(tmp_path, name)
        assert not (tmp_path / name).exists()

    (tmp_path / "link").symlink_to(tmp_path / "good")
    with pytest.raises(SurroundingsError):
        take(tmp_path, "link")
    assert take(tmp_path, "good") == TERMINAL


def test_what_nobody_took_is_deleted_after_ten_minutes(tmp_path: Path) -> None:
    old, young = hand_over(TERMINAL, tmp_path, "old"), hand_over(TERMINAL, tmp_path, "young")
    kept = tmp_path.parent / "kept"
    kept.write_text("")
    (tmp_path / "link").symlink_to(kept)
    now = young.stat().st_mtime
    os.utime(old, (now - 601, now - 601))
    os.utime(young, (now - 599, now - 599))

    assert sweep(tmp_path, now=now) == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "young"]
    assert sweep(tmp_path) == 0
    assert sweep(tmp_path, now=now + 9_999) == 1
    assert kept.exists()
    assert sweep(tmp_path / "nowhere") == 0


def test_an_agent_has_the_terminals_environment_and_its_marks(tmp_path: Path) -> None:
    env = for_agent(TERMINAL, mark="rec/att", run="run1", agent="調査", tmux_dir=tmp_path)
    assert env == {
        "PATH": "/bin",
        "NOT_UTF8": "\udcff",
        "NO_COLOR": "1",
        "TMUX_TMPDIR": str(tmp_path),
        "MIDWATCH_RUN": "run1",
        "MIDWATCH_AGENT": "調査",
        "MIDWATCH_ATTEMPT": "rec/att",
    }
    assert "TMUX" in TERMINAL.env


def test_no_value_is_seen_where_they_are_shown() -> None:
    assert "/tmp/tmux-0" not in repr(TERMINAL)
    assert "/somewhere" in repr(TERMINAL)


def test_marks_of_an_outer_agent_are_replaced(tmp_path: Path) -> None:
    inner = Surroundings(env={"MIDWATCH_ATTEMPT": "outer", "MIDWATCH_HOME": "/h"}, cwd="/", umask=0, limits={})
    env = for_agent(inner, mark="inner", run="r", agent="a", tmux_dir=tmp_path)
    assert (env["MIDWATCH_ATTEMPT"], env["MIDWATCH_HOME"]) == ("inner", "/h")
