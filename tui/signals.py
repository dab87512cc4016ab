"""TERM and HUP end the screen and nothing else: the terminal is given back, the runs go on."""

from __future__ import annotations

import os
import signal
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

GRACE_S = 2.0
_RESTORED = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[<u\x1b[0m"


@contextmanager
def leaving_on_signals(app: App[int]) -> Iterator[None]:
    """Within the block TERM and HUP leave `app` with 128 + their number; within two seconds, whatever hangs."""
    modes = _modes()

    def leave(number: int, _: FrameType | None) -> None:
        fallback = threading.Timer(GRACE_S, _leave_at_once, (number, modes))
        fallback.daemon = True
        fallback.start()
        loop = app._loop
        if loop is None:
            _leave_at_once(number, modes)
        else:  # the loop may be asleep, and a plain message does not wake it
            loop.call_soon_threadsafe(lambda: app.call_later(app.exit, return_code=128 + number))

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _modes() -> list[Any] | None:
    try:
        return termios.tcgetattr(0)
    except (termios.error, OSError):
        return None


def _leave_at_once(number: int, modes: list[Any] | None) -> None:
    """For a terminal that takes no more output, on which a clean end would wait for ever."""
    with suppress(termios.error, OSError):
        if modes is not None:
            termios.tcsetattr(0, termios.TCSANOW, modes)
        os.set_blocking(1, False)
        os.write(1, _RESTORED)
    os._exit(128 + number)
