"""Ctrl-C and TERM while a run is launched and followed: the first is a person, who stops it; the other may be any."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class ToldToEnd(KeyboardInterrupt):
    """This process is to end (a shutdown, a `kill`), which asks nothing of the run."""


class Interrupts:
    """Keeps the first interrupt of a launch until the run's id is known, so that a run never starts behind the back.

    After `let_through` each is raised, as the second one is at any time: `KeyboardInterrupt` for Ctrl-C, `ToldToEnd`
    for TERM. What held before comes back at the end of the `with` block.
    """

    def __init__(self) -> None:
        self._kept: KeyboardInterrupt | None = None
        self._through = False

    @property
    def stops(self) -> bool:
        """Whether a Ctrl-C was kept."""
        return self._kept is not None and not isinstance(self._kept, ToldToEnd)

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
        """Raises the interrupt that was kept, if one was."""
        kept, self._kept = self._kept, None
        if kept is not None:
            raise kept

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        told = ToldToEnd() if number == signal.SIGTERM else KeyboardInterrupt()
        if self._through or self._kept is not None:
            raise told
        self._kept = told
