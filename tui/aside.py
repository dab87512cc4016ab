"""Work that may take long, in a thread that nobody waits for: leaving the screen must never hang on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

Result = TypeVar("Result")


def aside(pump: MessagePump, work: Callable[[], Result], then: Callable[[Result], object]) -> None:
    """Calls `work` in a thread and `then` with its result on the screen's side. What `work` raises is raised there."""

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # raised again where the screen's own faults are
            _hand_over(pump, _raise, error)
        else:
            _hand_over(pump, then, result)

    threading.Thread(target=run, name="midwatch-aside", daemon=True).start()


def _hand_over(pump: MessagePump, then: Callable[[Result], object], result: Result) -> None:
    with suppress(RuntimeError):  # the screen has closed meanwhile
        pump.call_later(then, result)


def _raise(error: Exception) -> None:
    raise error
