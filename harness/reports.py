"""What an adapter's reader may say about one piece of an agent's output.

A reader is pure: bytes of one line in, reports out. Nothing in here decides anything; `harness.ending` and the
conductor do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from store.model import Counts, Reason


class ErrorKind(StrEnum):
    """What kind of structured failure a CLI reported. The first two are strong signals (K4, K6)."""

    AUTH = "auth"
    USAGE_LIMIT = "usage_limit"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """The CLI named its session: what a resume takes up, by exact id (R17)."""

    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """The model that answers, as the CLI names it."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One more turn was taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Words of the agent. The last one is its answer unless a `Result` carries another."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool call, for the screen: `detail` is one short line."""

    name: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A path the agent said it wrote."""

    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What something cost; `harness.ledger` says how reports add up.

    `request` given: the same id again replaces (U6). `cumulative`: the counts are the total since the session (or
    the process) began, and only differences count. `settles`: the counts cover every request reported by its id since
    the last report that settled, so they take the place of those.
    """

    counts: Counts
    model: str | None = None
    request: str | None = None
    cumulative: bool = False
    settles: bool = False
    at_least: bool = False  # a part of this report is known to be missing


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """The agent says it cannot proceed."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A structured failure by the CLI itself. `retrying`: the CLI has not given up on it yet."""

    kind: ErrorKind
    message: str
    retrying: bool = False
    resets_at: str | None = None  # for usage limits: UTC as in RFC 3339 where the CLI gives a time, else its words


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The CLI's final result event. `ok` false: it marks itself as an error.

    A CLI that was woken again in the same process gives another one, and the last holds: a result is final only once
    the process has ended. `denied`: tools that were refused because nobody was there to allow them (A5). `limit`: it
    ended itself at a limit that it had been given. `session_gone`: there is no session of the id it was to take up
    (R17).
    """

    ok: bool
    text: str | None = None
    error: str | None = None
    denied: tuple[str, ...] = ()
    limit: Reason | None = None
    session_gone: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Unknown:
    """A line that was not understood: kept in the journal, shown as text, counted.

    `why`: what keeps a line that was meant as a report from being one.
    """

    line: bytes
    why: str | None = None


Report = Session | Model | Turn | Text | Tool | File | Usage | Blocked | Failure | Result | Unknown
