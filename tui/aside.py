"""Work that may take long, in a thread that nobody waits for: leaving the screen must never hang on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
            pump.call_later(_raise, error)
        else:
            pump.call_later(then, result)

    threading.Thread(target=run, name="midwatch-aside", daemon=True).start()


def _raise(error: Exception) -> None:
    raise error
