"""The command line's errors; the message of each is a sentence for a person.

CommandError        carries the exit status that goes with it
├── WrongUsage      arguments that mean nothing (2)
├── NotFound        what was named is not there (6)
└── Refused         it does not apply from here, or only a person may ask for it (8)
"""

from __future__ import annotations

from tui.statuses import Status


class CommandError(Exception):
    """A command that could not do what it was asked."""

    status = Status.FAILED


class WrongUsage(CommandError):
    """The arguments do not make a command."""

    status = Status.WRONG_USAGE


class NotFound(CommandError):
    """Nothing of that name exists."""

    status = Status.NOT_FOUND


class Refused(CommandError):
    """It does not apply from here, or is not for whoever asked."""

    status = Status.REFUSED
