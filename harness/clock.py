"""The time that agents had: what their timeouts and their silence are counted in (E9)."""

from __future__ import annotations

import time
from collections.abc import Callable

HOLE_S = 5.0  # the watch reads its clock many times a second; what it missed for longer, nobody had


class Clock:
    """Seconds that went by while this process was served; calling it gives them.

    Monotonic, so a clock that is set changes nothing; and neither a suspend of the host (which the monotonic clock does
    not count) nor a watch that was held up (a paused container, a stopped process, a machine that was moved) is charged
    to an agent as a hang. A test gives its own `read` and skips time.
    """

    def __init__(self, read: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._last = read()
        self._counted = 0.0

    def __call__(self) -> float:
        """Seconds since it was made, holes left out. From one thread only."""
        now = self._read()
        if now - self._last <= HOLE_S:
            self._counted += now - self._last
        self._last = now
        return self._counted
