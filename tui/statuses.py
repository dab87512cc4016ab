"""Exit statuses: what a script learns from a command without reading a word of it."""

from __future__ import annotations

from enum import IntEnum

from store.model import Outcome


class Status(IntEnum):
    """The exit statuses of every command; part of the contract."""

    OK = 0
    WITH_FAILURES = 1
    WRONG_USAGE = 2
    NOT_ACCEPTED = 3
    BLOCKED = 4
    STOPPED = 5
    NOT_FOUND = 6
    FAILED = 7  # the harness or its record
    REFUSED = 8
    DIFFERENT = 9  # `audit` found a difference
    NOT_FINISHED = 10
    INTERRUPTED = 130  # as a shell has it for SIGINT
    PIPE_CLOSED = 141  # and for SIGPIPE


_OF_OUTCOME = {
    Outcome.COMPLETED: Status.OK,
    Outcome.WITH_FAILURES: Status.WITH_FAILURES,
    Outcome.NOT_ACCEPTED: Status.NOT_ACCEPTED,
    Outcome.BLOCKED: Status.BLOCKED,
    Outcome.STOPPED: Status.STOPPED,
}


def status_of(outcome: Outcome | None) -> Status:
    """The exit status that tells how a run ended; of `None`, that it has not."""
    return Status.NOT_FINISHED if outcome is None else _OF_OUTCOME[outcome]
