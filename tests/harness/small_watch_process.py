"""The process of a `small_watch.py`, as a test sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from harness.identity import Identity, identity_of
from tests.harness.supervising import identities, pids_in, until


class SmallWatch:
    """What a small watch has said so far, and what it leaves."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.process = process
        self.said: list[bytes] = []

    def until_says(self, beginning: bytes) -> bytes:
        """The first line that begins so."""
        for line in self.said:
            if line.startswith(beginning):
                return line
        while not (line := self._hear()).startswith(beginning):
            pass
        return line

    def until_tree(self, size: int) -> list[Identity]:
        """The processes of a `tree.py`, once all of them have told their pids."""
        while len(pids_in(self.said)) < size:
            self._hear()
        return identities(pids_in(self.said))

    def _hear(self) -> bytes:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"it has ended; the last it said was {self.said[-5:]}"
        self.said.append(line.rstrip(b"\n"))
        return self.said[-1]

    @property
    def keeper(self) -> int:
        return int(self.until_says(b"keeper ").split()[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def exit(self) -> dict[str, Any]:
        """What `….exit` says, once it is there."""
        path = self.folder / "1.exit"
        until(path.exists, "….exit")
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def journal(self) -> bytes:
        return (self.folder / "1.out").read_bytes()


@contextmanager
def small_watch(folder: Path, mode: str, *argv: str, within: Sequence[str] = ()) -> Iterator[SmallWatch]:
    """A small watch, started by the command `within` if one is given; killed at the end, its keeper gone by itself."""
    words = [*within, sys.executable, "-m", "tests.harness.small_watch", str(folder), mode, *argv]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as process:
        watch = SmallWatch(folder, process)
        try:
            yield watch
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    keepers = [int(line.split()[1]) for line in watch.said if line.startswith(b"keeper ")]
    until(lambda: not any(identity_of(one) for one in keepers), "the keeper's end")
