"""`[notices] command`: a program of the person's, started for each event.

The event is on its standard input as JSON, its id in `MIDWATCH_EVENT_ID` as well: the same event may come twice. Exit
status 0 means that it took it. What it writes to standard error is kept as the reason when it did not.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from harness.consumers.consumer import NotTaken
from harness.consumers.message import NOTICED, Message
from harness.nearest import harmless, quoted
from harness.own_thread import in_own_thread

EVENT_ID = "MIDWATCH_EVENT_ID"
_KEPT = 4096  # bytes of what it says about a failure
_LOOK_MS = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class NoticeCommand:
    """Starts `argv` for each message, in a process group of its own, which is ended when it takes too long."""

    name: ClassVar[str] = "command"
    types: ClassVar[frozenset[str]] = NOTICED
    argv: tuple[str, ...]
    timeout: float = 30.0

    async def take(self, message: Message) -> None:
        """Returns when the program ended with status 0."""
        program = _Program(self.argv, message)
        try:
            await in_own_thread(program.see_through, name="notice command")
        finally:
            program.end()


class _Program:
    """One start of the program; `see_through` in a thread, `end` from anywhere."""

    def __init__(self, argv: tuple[str, ...], message: Message) -> None:
        self._argv = argv
        self._message = message
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = False
        self._starting = threading.Lock()

    def see_through(self) -> None:
        """Returns when it ended with status 0; raises `NotTaken`."""
        with tempfile.TemporaryFile() as body:  # a file, since a program need not read what it is given
            body.write(self._message.body)
            body.seek(0)
            try:
                process = subprocess.Popen(
                    self._argv,
                    stdin=body,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env={**os.environ, EVENT_ID: self._message.id},
                    start_new_session=True,
                )
            except (OSError, ValueError) as problem:
                why = getattr(problem, "strerror", None) or problem
                raise NotTaken(f"{quoted(self._argv[0])} cannot be started: {why}") from problem
        with self._starting:
            self._process = process
            if self._unwanted:
                _kill(process)
        with process:
            said = _last_words(process)
        if process.returncode != 0:
            how = f"status {process.returncode}" if process.returncode > 0 else f"signal {-process.returncode}"
            raise NotTaken(f"{quoted(self._argv[0])} ended with {how}{said}")

    def end(self) -> None:
        """Nothing of its group is left, if it still ran."""
        with self._starting:
            self._unwanted = True
            if self._process is not None and self._process.returncode is None:
                _kill(self._process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_words(process: subprocess.Popen[bytes]) -> str:
    """Waits for its end; the last line of its standard error, read so far that it never waits for a reader.

    What it left running in the background may hold that pipe open for long, so its end is not waited for.
    """
    assert process.stderr is not None
    pipe, kept, open_ = process.stderr.fileno(), b"", True
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while True:
        ended = process.poll() is not None
        if open_ and poll.poll(0 if ended else _LOOK_MS):
            chunk = os.read(pipe, 65536)
            kept, open_ = (kept + chunk)[-_KEPT:], bool(chunk)
        if ended:
            break
        if not open_:
            process.wait()
    lines = kept.decode(errors="replace").split("\n")
    words = [line.strip() for line in lines if line.strip()]
    return f": {harmless(words[-1])}" if words else ""
