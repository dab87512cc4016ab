"""A supervisor of a test's own, and a sink that remembers what it was told."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from harness.identity import Identity, identity_of, is_alive
from harness.process_table import process_table
from harness.supervisor import Exit, Kept, Order, Supervisor

TREE = Path(__file__).with_name("tree.py")
SOON_S = 30.0


class Told:
    """A sink that remembers; its `until_…` fail the test when what they wait for does not come."""

    def __init__(self) -> None:
        self.identity: Identity | None = None
        self.refusal: str | None = None
        self.said: list[bytes] = []
        self.output_bytes = (0, 0)
        self.times_over_limit = 0
        self.times_full = 0
        self.exit: Exit | None = None
        self.kept: Kept
        self._news = asyncio.Event()

    def started(self, identity: Identity) -> None:
        self.identity = identity
        self._news.set()

    def refused(self, error: str) -> None:
        assert self.exit is None and self.refusal is None
        self.refusal = error
        self._news.set()

    def lines(self, lines: list[bytes]) -> None:
        assert self.exit is None, "lines after the end"
        self.said += lines
        self._news.set()

    def output(self, out_bytes: int, err_bytes: int) -> None:
        self.output_bytes = (out_bytes, err_bytes)
        self._news.set()

    def over_limit(self) -> None:
        self.times_over_limit += 1
        self._news.set()

    def disk_full(self) -> None:
        self.times_full += 1
        self._news.set()

    def gone(self, exit: Exit) -> None:  # noqa: A002  # the noun of the domain
        assert self.exit is None and self.refusal is None
        self.exit = exit
        self._news.set()

    async def until(self, condition: Callable[[], Any], what: str) -> Any:
        """What `condition` gives once it is true; looked at whenever something is told, and now and then besides."""
        deadline = time.monotonic() + SOON_S
        while not (found := condition()):
            if time.monotonic() > deadline:
                pytest.fail(f"{what} has not come true: {vars(self)}")
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), 0.05)
            except TimeoutError:
                continue
        return found

    async def until_started(self) -> Identity:
        await self.until(lambda: self.identity or self.refusal, "started")
        assert self.identity is not None, self.refusal
        return self.identity

    async def until_said(self, line: bytes) -> None:
        await self.until(lambda: line in self.said, f"{line!r}")

    async def until_gone(self) -> Exit:
        await self.until(lambda: self.exit or self.refusal, "gone")
        assert self.exit is not None, self.refusal
        return self.exit

    async def until_refused(self) -> str:
        await self.until(lambda: self.exit or self.refusal, "refused")
        assert self.refusal is not None, self.exit
        return self.refusal

    async def until_tree(self, size: int) -> list[Identity]:
        """The processes of a `tree.py`, once all of them have told their pids."""
        pids = await self.until(lambda: (found := pids_in(self.said)) and len(found) == size and found, "the tree")
        return identities(pids)


class Watching(AbstractAsyncContextManager["Watching"]):
    """A supervisor in a folder of its own, closed at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.supervisor = Supervisor()
        self._launched = 0

    async def __aenter__(self) -> Watching:
        await self.supervisor.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.supervisor.close()

    def order(self, *argv: str, **changes: Any) -> Order:
        self._launched += 1
        return order(self.folder, f"{self._launched}", argv, **changes)

    def launch(self, *argv: str, **changes: Any) -> Told:
        told = Told()
        told.kept = self.supervisor.launch(self.order(*argv, **changes), told)
        return told

    def shell(self, script: str, **changes: Any) -> Told:
        return self.launch("sh", "-c", script, **changes)

    def tree(self, *words: str, **changes: Any) -> Told:
        return self.launch(sys.executable, "-I", "-S", str(TREE), *words, **changes)


async def kill_zygote(told: Told) -> None:
    """Kills the parent of the keeper, and waits until it is dead."""
    assert told.kept.keeper is not None
    zygote = identity_of(process_table()[told.kept.keeper.pid].parent)
    assert zygote is not None
    os.kill(zygote.pid, signal.SIGKILL)
    await told.until(lambda: not is_alive(zygote), "the zygote's death")


def order(folder: Path, name: str, argv: Sequence[str], **changes: Any) -> Order:
    """An order whose files lie in `folder`, with an empty standard input."""
    mark = f"{uuid.uuid4().hex}/{name}"  # what another run of the same test left is not to be taken for ours
    stdin = folder / f"{name}.prompt"
    stdin.touch()
    fields: dict[str, Any] = {
        "mark": mark,
        "argv": tuple(argv),
        "env": {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "MIDWATCH_ATTEMPT": mark},
        "cwd": str(folder),
        "umask": 0o022,
        "limits": (),
        "stdin": stdin,
        "out": folder / f"{name}.out",
        "err": folder / f"{name}.err",
        "exit": folder / f"{name}.exit",
    }
    return Order(**{**fields, **changes})


def pids_in(lines: Sequence[bytes]) -> list[int]:
    """The pids that a `tree.py` has told."""
    return [int(line.split()[1]) for line in lines if line.startswith(b"pid ")]


def identities(pids: Sequence[int]) -> list[Identity]:
    found = [identity_of(pid) for pid in pids]
    assert None not in found, "a process of the tree ended by itself"
    return [one for one in found if one is not None]


def alive(tree: Sequence[Identity]) -> list[Identity]:
    return [one for one in tree if is_alive(one)]


def until(condition: Callable[[], Any], what: str) -> Any:
    """What `condition` gives once it is true, for tests without an event loop."""
    deadline = time.monotonic() + SOON_S
    while not (found := condition()):
        if time.monotonic() > deadline:
            pytest.fail(f"{what} has not come true")
        time.sleep(0.01)
    return found
