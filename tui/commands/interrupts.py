"""Ctrl-C, and TERM as well, while a run is launched and followed."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Keeps the first interrupt of a launch until the run's id is known, so that a run never starts behind the back.

    After `let_through` each raises `KeyboardInterrupt`, as the second one does at any time. What held before comes back
    at the end of the `with` block.
    """

    def __init__(self) -> None:
        self.pending = False
        self._through = False

    def __enter__(self) -> Interrupts:
        self._before = [signal.signal(number, self._on_signal) for number in _SIGNALS]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in zip(_SIGNALS, self._before, strict=True):
            signal.signal(number, handler)

    def let_through(self) -> None:
        """From here on an interrupt is raised where it lands."""
        self._through = True

    def raise_pending(self) -> None:
        """Raises `KeyboardInterrupt` for one that was kept."""
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._through or self.pending:
            raise KeyboardInterrupt
        self.pending = True
