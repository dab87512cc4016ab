"""The screen in a browser, with a browser's part played by a plain HTTP client."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.tui.conftest import Midwatch

ROOT = Path(__file__).parents[2]
WAIT_S = 30


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("localhost", 0))
        return int(tried.getsockname()[1])


@pytest.fixture
def address(home: Path) -> Iterator[str]:
    """A server of this test's own, until the test is over."""
    words = [sys.executable, "-m", "tui", "serve", "--json", "--port", str(free_port())]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}) as server:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["address"]
        server.terminate()


async def opened(session: aiohttp.ClientSession, url: str) -> tuple[int, str]:
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                async with session.get(url) as answer:
                    return answer.status, await answer.text()
            except aiohttp.ClientConnectorError:  # it says where it will be before it is there
                await asyncio.sleep(0.05)


def test_a_browser_with_the_key_sees_the_screen(address: str) -> None:
    async def look() -> bytes:
        root = address.partition("?")[0]
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            status, page = await opened(session, address)
            assert status == 200
            assert "xterm" in page
            seen = b""
            async with asyncio.timeout(WAIT_S), session.ws_connect(f"{root}ws?width=100&height=30") as stream:
                async for message in stream:
                    seen += message.data if isinstance(message.data, bytes) else message.data.encode()
                    if b"Workflows" in seen:
                        return seen
        return seen

    assert b"Workflows" in asyncio.run(look())


def test_nobody_comes_in_without_the_key_or_from_another_page(address: str) -> None:
    async def knock() -> list[int]:
        root = address.partition("?")[0]
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            urls = (root, f"{root}?key=wrong", f"{root}ws")
            found = [(await opened(session, url))[0] for url in urls]
            await opened(session, address)
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{root}ws", headers={"Origin": "http://elsewhere.example"})
            found.append(refused.value.status)
        return found

    assert asyncio.run(knock()) == [403, 403, 403, 403]


def test_a_port_that_is_taken_is_a_sentence(midwatch: Midwatch) -> None:
    with socket.socket() as holder:
        holder.bind(("localhost", 0))
        holder.listen()
        ran = midwatch("serve", "--port", str(holder.getsockname()[1]))
    assert ran.status == 8
    assert "choose another with --port" in ran.err


def test_an_agent_may_not_serve(midwatch: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDWATCH_ATTEMPT", "a/b")
    assert midwatch("serve").status == 8


def test_a_wrong_port_is_said(midwatch: Midwatch) -> None:
    assert "is no port" in midwatch("serve", "--port", "0").err
