"""The watch's end of the zygote: the process that forks keepers."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import harness.keeper

_SCRIPT = Path(harness.keeper.__file__).with_name("__main__.py")
_BUSY = (errno.EAGAIN, errno.ETOOMANYREFS, errno.ENOBUFS)  # more launches at once than fit into its socket
_AGAIN_S = 0.002
_LEAVES_S = 2.0
_log = logging.getLogger("midwatch.zygote")


class Zygote:
    """Starts the zygote, hands it descriptors, and starts another should it be gone."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._waiting: deque[Sequence[int]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The pid of the zygote, which adopts what a killed keeper leaves."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Starts the process; it is ready by the time it is needed, as orders wait in its socket. Raises `OSError`."""
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SCRIPT), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**_unmarked_environment(), "LD_BIND_NOW": "1"},  # else each keeper links anew what it calls
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        self._socket = ours

    def fork_keeper(self, descriptors: Sequence[int]) -> None:
        """Has a keeper forked that gets these; they are closed here once they are handed over."""
        self._waiting.append(descriptors)
        if self._timer is None:
            self._hand_over()

    def close(self) -> None:
        """Lets the zygote go; its keepers go on by themselves."""
        if self._timer is not None:
            self._timer.cancel()
        while self._waiting:
            _close(self._waiting.popleft())
        self._end()

    def _hand_over(self) -> None:
        self._timer = None
        while self._waiting:
            problem = self._send(self._waiting[0])
            if problem is not None and problem.errno in _BUSY:
                self._timer = asyncio.get_running_loop().call_later(_AGAIN_S, self._hand_over)
                return
            if problem is not None and self._restarted(problem):
                problem = self._send(self._waiting[0])
            if problem is not None:
                _log.error("no keeper could be forked: %s", problem)
            _close(self._waiting.popleft())  # an attempt whose descriptors nobody took hears that its keeper is gone

    def _send(self, descriptors: Sequence[int]) -> OSError | None:
        if self._socket is None:
            return ConnectionResetError(errno.ECONNRESET, "there is no zygote")
        try:
            socket.send_fds(self._socket, [b"k"], list(descriptors))
        except OSError as problem:
            return problem
        return None

    def _restarted(self, problem: OSError) -> bool:
        _log.warning("the zygote is gone (%s); starting another", problem)
        self._end()
        try:
            self.start()
        except OSError:
            _log.exception("the zygote cannot be started")
            return False
        return True

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LEAVES_S)
                return
            self._process.kill()
            self._process.wait()


def _unmarked_environment() -> dict[str, str]:
    """Ours without the marks of an agent that may have started us: no keeper is to be taken for one's survivor."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MIDWATCH_")}


def _close(descriptors: Sequence[int]) -> None:
    for one in descriptors:
        os.close(one)
