"""What the relay needs of a consumer."""

from __future__ import annotations

from typing import Protocol

from harness.consumers.message import Message


class NotTaken(Exception):
    """The consumer has not taken the message; the text says why, and holds no secret.

    `after`: seconds that it asked to be left alone for.
    """

    def __init__(self, why: str, *, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


class Consumer(Protocol):
    """One that is told of events. Equal ones are the same, so that settings can be read again without a break."""

    @property
    def name(self) -> str:
        """Under which the record remembers what it is owed; never changes."""

    @property
    def types(self) -> frozenset[str]:
        """The types of the events that it wants."""

    @property
    def timeout(self) -> float:
        """Seconds that one message may take; then `take` is cancelled."""

    async def take(self, message: Message) -> None:
        """Returns when it has the message; raises `NotTaken`. Cancelled, it ends at once and leaves nothing behind."""
