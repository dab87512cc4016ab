"""The real program on a pseudo-terminal of the test's own."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

DEADLINE_S = 30.0
_TAKE_THE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


class TerminalProgram:
    """A Python program whose terminal this is; everything that it wrote is in `written`."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], *, size: tuple[int, int] = (120, 30)
    ) -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self._slave_name = os.ttyname(slave)
        self.modes_before = _modes(slave)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_THE_TERMINAL, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment},
            start_new_session=True,
        )
        self._slave = slave  # kept open, so that the terminal's modes can be read after the program has left
        self.written = b""

    def wait_for(self, text: str) -> None:
        """Reads until it has written this."""
        deadline = time.monotonic() + DEADLINE_S
        while text.encode() not in self.written:
            assert time.monotonic() < deadline and self._read(0.1), f"never wrote {text!r}:\n{self.written!r}"

    def quiet(self, seconds: float = 1.0) -> None:
        """Reads until it has written nothing for so long."""
        before = -1
        while before != len(self.written):
            before = len(self.written)
            self._read(seconds)

    def send(self, keys: bytes) -> None:
        """Types."""
        os.write(self.master, keys)

    def hang_up(self) -> None:
        """The line is lost."""
        os.close(self._slave)
        os.close(self.master)
        self.master = self._slave = -1

    def ended(self) -> int:
        """Its exit status; negative for a signal."""
        deadline = time.monotonic() + DEADLINE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"never ended:\n{self.written[-2000:]!r}"
            if self.master >= 0:
                self._read(0.05)
            else:
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(0.05)
        while self.master >= 0 and select.select([self.master], [], [], 0)[0]:
            if not self._read(0):
                break
        return self.process.returncode

    def modes(self) -> list[Any]:
        """The modes of the terminal now."""
        return _modes(self._slave)

    def close(self) -> None:
        """Ends it if it has not ended."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for descriptor in (self.master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)

    def _read(self, wait: float) -> bool:
        if not select.select([self.master], [], [], wait)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.written += data
        return bool(data)


def _modes(descriptor: int) -> list[Any]:
    return termios.tcgetattr(descriptor)
