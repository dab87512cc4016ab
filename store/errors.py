"""The store's errors; the message of each is a sentence for a person.

StoreError
├── RecordUnavailable   cannot be opened, read or written: missing, damaged, no permission, no space
├── RecordTooNew        written by a later midwatch
├── RecordNotReady      not made or not migrated yet: the watch does that
├── RunNotFound         no run with that id or prefix
├── AmbiguousRun        a prefix that several runs share
├── LetterNotFound      no dead letter with that id or prefix
├── AmbiguousLetter     a prefix that several dead letters share
└── LetterStays         a dead letter that cannot be tried again or dropped from here
"""

from __future__ import annotations


class StoreError(Exception):
    """Something about the record that a person must know."""


class RecordUnavailable(StoreError):
    """The record cannot be opened, read or written."""


class RecordTooNew(StoreError):
    """The record was written by a later version of midwatch."""


class RecordNotReady(StoreError):
    """The record does not exist yet, or its schema is older than this program: only the watch migrates it."""


class RunNotFound(StoreError):
    """No run has that id."""

    def __init__(self, run: str) -> None:
        super().__init__(f"no run '{run}' in the record; `midwatch runs` lists them")
        self.run = run


class AmbiguousRun(StoreError):
    """Several runs begin with that prefix."""

    def __init__(self, prefix: str, found: int) -> None:
        super().__init__(f"{found} runs begin with '{prefix}'; give more of the id")
        self.prefix = prefix


class LetterNotFound(StoreError):
    """No dead letter has that id."""

    def __init__(self, letter: str) -> None:
        super().__init__(f"no dead letter '{letter}' in the record; `midwatch letters` lists them")
        self.letter = letter


class AmbiguousLetter(StoreError):
    """Several dead letters begin with that prefix."""

    def __init__(self, prefix: str, found: int) -> None:
        super().__init__(f"{found} dead letters begin with '{prefix}'; give more of the id")
        self.prefix = prefix


class LetterStays(StoreError):
    """A dead letter stays as it is; the message says why."""
