"""One attempt and its end, with real processes that do not want to end."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from harness.identity import identity_of
from tests.harness.supervising import Watching, alive, pids_in


def test_an_exit_by_a_signal_is_told_as_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            ended = await watch.shell("kill -9 $$").until_gone()
        assert (ended.code, ended.signal, ended.asked) == (None, signal.SIGKILL, None)

    asyncio.run(test())


def test_a_background_child_that_holds_standard_output_is_ended_and_counted(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("sleep 1000 & echo $!; exit 4")
            ended = await told.until_gone()
        assert (ended.code, ended.leftovers) == (4, 1)
        assert identity_of(int(told.said[0])) is None

    asyncio.run(test())


@pytest.mark.parametrize("left", ["session", "orphan", "bare"])
def test_what_outlives_its_agent_is_ended_however_it_hides(tmp_path: Path, left: str) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("deaf", left, "quiet", "exit:0")
            ended = await told.until_gone()
            assert (ended.code, ended.leftovers, ended.asked) == (0, 2, None)
            assert len(pids := pids_in(told.said)) == 2
            assert [identity_of(pid) for pid in pids] == [None, None]

    asyncio.run(test())


@pytest.mark.parametrize("deaf", [False, True])
def test_end_ends_the_whole_tree(tmp_path: Path, deaf: bool) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree(*(["deaf"] if deaf else []), "plain", "session", "orphan", "bare", "quiet")
            tree = await told.until_tree(6)
            await told.kept.end(0.5)
            assert alive(tree) == []
            ended = told.exit
            assert ended is not None
            assert ended.signal == (signal.SIGKILL if deaf else signal.SIGINT)
            assert (ended.leftovers, ended.asked) == (0, None)

    asyncio.run(test())


def test_terminate_reaches_what_left_the_session(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("plain", "bare")
            tree = await told.until_tree(3)
            told.kept.terminate()
            ended = await told.until_gone()
            assert (ended.signal, alive(tree)) == (signal.SIGTERM, [])

    asyncio.run(test())


def test_an_end_that_comes_while_the_agent_starts_holds(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("trap '' INT TERM; sleep 1000; echo late")
            told.kept.kill()
            ended = await told.until_gone()
            assert (ended.signal, told.said) == (signal.SIGKILL, [])
            await told.kept.end()

    asyncio.run(test())


def test_a_killed_keeper_takes_its_whole_tree_along(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            other = watch.tree("session")
            bystander = await other.until_tree(2)
            told = watch.tree("deaf", "plain", "session", "bare", "quiet")
            tree = await told.until_tree(5)
            assert told.kept.keeper is not None
            os.kill(told.kept.keeper.pid, signal.SIGKILL)
            ended = await told.until_gone()
            assert (ended.lost_keeper, ended.code, ended.signal, ended.beyond_reach) == (True, None, None, 0)
            assert ended.leftovers > 0
            assert alive(tree) == []
            assert alive(bystander) == bystander
            assert other.exit is None
            assert ended.out_bytes == told.kept.order.out.stat().st_size
            await other.kept.end(0.2)

    asyncio.run(test())


def test_a_keeper_that_is_stuck_does_not_keep_an_end_from_coming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.kept.KILL_PATIENCE_S", 0.2)

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("deaf", "session")
            tree = await told.until_tree(2)
            assert told.kept.keeper is not None
            os.kill(told.kept.keeper.pid, signal.SIGSTOP)
            await told.kept.end(0.2)
            assert told.exit is not None
            assert told.exit.lost_keeper
            assert alive(tree) == []

    asyncio.run(test())
