"""The process that keepers are forked from, when it is gone."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness.supervising import Watching, kill_zygote


def test_a_killed_zygote_is_started_again_and_its_keepers_go_on(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            first = watch.shell("echo one; exec sleep 1000")
            await first.until_said(b"one")
            await kill_zygote(first)
            second = watch.shell("echo two")
            assert (await second.until_gone()).code == 0
            assert second.said == [b"two"]
            await first.kept.end(0.2)
            assert first.exit is not None
            assert first.exit.signal == signal.SIGINT

    asyncio.run(test())


def test_where_no_zygote_can_be_started_an_agent_is_refused_and_the_next_one_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            first = watch.shell("exec sleep 1000")
            await first.until_started()
            with monkeypatch.context() as broken:
                await kill_zygote(first)
                broken.setattr(sys, "executable", "/nowhere/python")
                for _ in range(2):
                    assert "keeper ended before" in await watch.shell("echo").until_refused()
            assert (await watch.shell("exit 3").until_gone()).code == 3
            await first.kept.end(0.2)

    asyncio.run(test())


def test_launches_that_the_system_does_not_take_at_once_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send, refused = socket.send_fds, iter([errno.ETOOMANYREFS, errno.EAGAIN, errno.ETOOMANYREFS])

    def at_first_too_many(*given: Any) -> int:
        for number in refused:
            raise OSError(number, "too many at once")
        return send(*given)

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            monkeypatch.setattr(socket, "send_fds", at_first_too_many)
            both = [watch.shell(f"exit {number}") for number in (1, 2)]
            assert [(await one.until_gone()).code for one in both] == [1, 2]
            assert next(refused, None) is None

    asyncio.run(test())
