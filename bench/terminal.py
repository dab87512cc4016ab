"""A program on a terminal of its own (120 columns, 36 rows): when it wrote what, and what it has cost."""

from __future__ import annotations

import fcntl
import os
import pty
import queue
import re
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROWS, COLUMNS = 36, 120
_SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
_ASKED_FOR_A_MODE = re.compile(rb"\x1b\[\?(\d+)\$p")


class Terminal:
    """The program from its start until `close`. A thread of its own notes when each chunk came."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._chunks: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self._written = b""
        self.bytes = 0
        self.ended = False
        self.began = time.perf_counter()
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            self._become(argv, environment, folder)
        sys.setswitchinterval(0.0005)
        threading.Thread(target=self._read, daemon=True).start()

    def _become(self, argv: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        try:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(folder)
            os.execvpe(argv[0], list(argv), {**environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
        finally:
            os._exit(127)

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._descriptor, 1 << 16)
            except OSError:
                chunk = b""
            self._chunks.put((time.perf_counter(), chunk))
            if not chunk:
                return
            for mode in _ASKED_FOR_A_MODE.findall(chunk):
                with suppress(OSError):
                    os.write(self._descriptor, b"\x1b[?%s;2$y" % mode)  # known and not set

    def take(self, seconds: float) -> float | None:
        """When the next chunk came, if one does within so many seconds."""
        try:
            at, chunk = self._chunks.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if not chunk:
            self.ended = True
            return None
        self.bytes += len(chunk)
        self._written = (self._written + chunk)[-400_000:]
        return at

    def wait_for(self, words: str, seconds: float = 60.0) -> float:
        """When the chunk came with which these words were written. Raises `TimeoutError` with what was written."""
        wanted, deadline = words.encode(), time.perf_counter() + seconds
        while time.perf_counter() < deadline and not self.ended:
            at = self.take(deadline - time.perf_counter())
            if at is not None and wanted in _SEQUENCE.sub(b"", self._written):
                return at
        raise TimeoutError(
            f"{words!r} never came; last {_SEQUENCE.sub(b'', self._written)[-2000:].decode(errors='replace')!r}"
        )

    def rest(self, seconds: float) -> None:
        """Takes what comes for so long."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0 and not self.ended:
            self.take(left)

    def quiet(self, gap: float = 0.4, seconds: float = 10.0) -> float:
        """When the last chunk came before nothing more did for `gap` seconds."""
        last, deadline = time.perf_counter(), time.perf_counter() + seconds
        while time.perf_counter() < deadline and (at := self.take(gap)) is not None:
            last = at
        return last

    def press(self, keys: str) -> float:
        """Types them; what was written before counts no more. When that was."""
        self._written = b""
        os.write(self._descriptor, keys.encode())
        return time.perf_counter()

    def cpu(self) -> float:
        """Seconds on a CPU so far, of all threads of this process alone."""
        threads = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9

    def resident(self) -> float:
        """MiB of memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:"))) / 1024

    def close(self) -> None:
        """Ends it."""
        for number, patience in ((signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0)):
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    os.close(self._descriptor)
                    return
                self.take(0.02)
