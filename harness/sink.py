"""Who is told what becomes of one attempt."""

from __future__ import annotations

from typing import Protocol

from harness.attempt_exit import Exit
from harness.identity import Identity


class Sink(Protocol):
    """Called on the event loop, one call at a time; none may raise. After `refused` or `gone` nothing more is told."""

    def started(self, identity: Identity) -> None:
        """Its program runs."""

    def refused(self, error: str) -> None:
        """It could not be started, and nothing of it runs; `error` is a sentence."""

    def lines(self, lines: list[bytes]) -> None:
        """Complete lines of standard output, in the journal by now; a very long one is a `harness.journal.CutLine`."""

    def output(self, out_bytes: int, err_bytes: int) -> None:
        """A sign of life: so many bytes are in its journals."""

    def over_limit(self) -> None:
        """It printed more than its output limit; told once. Nothing more is taken from it until it has been ended."""

    def disk_full(self) -> None:
        """A journal cannot grow; told once each time. The agent waits on its pipes, and goes on when there is room."""

    def gone(self, exit: Exit) -> None:  # noqa: A002  # the noun of the domain
        """Nothing of its tree is left, its journals are whole, its last lines were given and `….exit` is durable.

        `….exit` is missing only when the keeper was killed, or found no room for it within a minute.
        """
