"""What a keeper does when its watch is killed (R19), with a small watch of its own."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from harness.identity import identity_of
from tests.harness.small_watch_process import small_watch
from tests.harness.supervising import TREE, alive, until

TREE_AGENT = (sys.executable, "-I", "-S", str(TREE))


def test_the_whole_tree_goes_with_the_watch_however_it_hides(tmp_path: Path) -> None:
    with small_watch(tmp_path, "stop", *TREE_AGENT, "deaf", "plain", "session", "orphan", "bare", "quiet") as watch:
        tree = watch.until_tree(6)
        watch.kill()
        until(lambda: not alive(tree), "the end of the tree")
        facts = watch.exit()
        assert (facts["signal"], facts["exit_code"], facts["asked"]) == (signal.SIGKILL, None, "watch gone")
        assert facts["leftovers"] == 0


def test_an_agent_that_listens_is_asked_first(tmp_path: Path) -> None:
    script = "trap 'echo goodbye; exit 7' TERM; echo here; while :; do sleep 0.02; done"
    with small_watch(tmp_path, "stop", "sh", "-c", script) as watch:
        watch.until_says(b"here")
        watch.kill()
        facts = watch.exit()
        assert (facts["exit_code"], facts["asked"]) == (7, "watch gone")
        assert watch.journal() == b"here\ngoodbye\n"


def test_an_agent_left_to_finish_does_not_notice(tmp_path: Path) -> None:
    script = "echo one; while [ ! -e go ]; do sleep 0.02; done; seq 50000; printf end; sleep 1000 & exit 5"
    with small_watch(tmp_path, "finish", "sh", "-c", script) as watch:
        watch.until_says(b"one")
        watch.kill()
        assert identity_of(watch.keeper) is not None
        (tmp_path / "go").touch()
        facts = watch.exit()
        assert (facts["exit_code"], facts["signal"], facts["asked"], facts["leftovers"]) == (5, None, None, 1)
        assert watch.journal() == b"one\n" + b"".join(b"%d\n" % number for number in range(1, 50_001)) + b"end"


@pytest.mark.parametrize(
    ("limit", "script", "asked"),
    [("timeout=0.5", "echo one; sleep 1000", "timeout"), ("limit=500000", "echo one; yes", "output limit")],
)
def test_an_agent_left_to_finish_stays_under_its_limits(tmp_path: Path, limit: str, script: str, asked: str) -> None:
    with small_watch(tmp_path, f"finish,plain,{limit}", "sh", "-c", script) as watch:
        watch.until_says(b"output")
        watch.kill()
        facts = watch.exit()
        assert (facts["signal"], facts["asked"]) == (signal.SIGTERM, asked)
        assert len(watch.journal()) < 4 << 20


def test_an_agent_that_was_being_ended_is_not_left_to_finish(tmp_path: Path) -> None:
    with small_watch(tmp_path, "finish,terminate=lines", *TREE_AGENT, "deaf", "bare") as watch:
        tree = watch.until_tree(2)
        watch.until_says(b"terminated")
        watch.kill()
        until(lambda: not alive(tree), "the end of the tree")
        assert watch.exit()["signal"] == signal.SIGKILL


@pytest.mark.parametrize("mode", ["stop", "finish"])
def test_a_keeper_that_is_told_to_end_ends_its_tree(tmp_path: Path, mode: str) -> None:
    with small_watch(tmp_path, mode, *TREE_AGENT, "deaf", "session") as watch:
        tree = watch.until_tree(2)
        if mode == "finish":
            watch.kill()
        os.kill(watch.keeper, signal.SIGTERM)
        until(lambda: not alive(tree), "the end of the tree")
        facts = watch.exit()
        assert (facts["signal"], facts["asked"]) == (signal.SIGKILL, "terminated")


def test_the_zygote_goes_with_the_watch(tmp_path: Path) -> None:
    with small_watch(tmp_path, "finish", "sh", "-c", "echo here; while [ ! -e go ]; do sleep 0.02; done") as watch:
        watch.until_says(b"here")
        status = Path(f"/proc/{watch.keeper}/stat").read_text()
        zygote = identity_of(int(status.rpartition(")")[2].split()[1]))
        assert zygote is not None
        watch.kill()
        until(lambda: not alive([zygote]), "the zygote's end")
        (tmp_path / "go").touch()
        assert watch.exit()["exit_code"] == 0
