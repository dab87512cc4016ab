"""TERM and HUP end the screen and nothing else: the terminal is given back, the runs go on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

GRACE_S = 2.0
_RESTORED = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[<u\x1b[0m"


@contextmanager
def leaving_on_signals(app: App[int]) -> Iterator[None]:
    """Within the block TERM and HUP leave `app` with 128 + their number; within two seconds, whatever hangs."""

    def leave(number: int, _: FrameType | None) -> None:
        fallback = threading.Timer(GRACE_S, _leave_at_once, (number,))
        fallback.daemon = True
        fallback.start()
        app.call_later(app.exit, return_code=128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave_at_once(number: int) -> None:
    """For a terminal that takes no more output, on which a clean end would wait for ever."""
    if os.isatty(2):
        os.set_blocking(2, False)
        with suppress(OSError):
            os.write(2, _RESTORED)
    os._exit(128 + number)
