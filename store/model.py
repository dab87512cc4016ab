"""The nouns of midwatch: states, reasons, outcomes and counts.

Only the standard library, no I/O: every other file may import this one. Members are stored for ever and never
deleted or renamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a delegation stands (E1)."""

    REFINING = "refining"  # drafted with the person, not handed over yet
    DELEGATED = "delegated"  # handed over, waits for its turn
    RUNNING = "running"  # an attempt is alive
    REVIEW = "review"  # its result is being collected and read
    STOPPING = "stopping"  # asked to end, its processes not yet proven gone (R16)
    DONE = "done"
    FAILED = "failed"
    BLOCKED = "blocked"
    STOPPED = "stopped"
    NOT_STARTED = "not_started"


FINAL_STATES = frozenset({State.DONE, State.FAILED, State.BLOCKED, State.STOPPED, State.NOT_STARTED})
WAITING_STATES = frozenset({State.REFINING, State.DELEGATED})
RUNNING_STATES = frozenset({State.RUNNING, State.REVIEW, State.STOPPING})


class Reason(StrEnum):
    """Why something was stopped or not started. A failure's reason is free text instead."""

    OPERATOR = "operator"
    PARENT = "parent"
    BUDGET = "budget"
    TURNS = "turns"
    TIMEOUT = "timeout"
    DEADLINE = "deadline"
    OUTPUT_LIMIT = "output limit"
    DRAINED = "drained"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    GATE = "gate"
    USAGE_LIMIT = "usage limit"
    SIGN_IN = "sign-in"
    WAVE_FAILED = "wave failed"
    EXPIRED = "expired"


class RunState(StrEnum):
    """Whether a run goes on. How it ended is its `Outcome`, kept apart."""

    LIVE = "live"
    FINISHED = "finished"


class RunStatus(StrEnum):
    """What a reader shows for a run: its state, refined by what the record and the watch's lock say."""

    LIVE = "live"
    PAUSED = "paused"
    DRAINING = "draining"
    FINISHED = "finished"
    UNSETTLED = "unsettled"  # the record says live, and no watch holds the lock


class Outcome(StrEnum):
    """What a finished run resolves to; the first that holds (O1)."""

    STOPPED = "stopped"
    NOT_ACCEPTED = "not accepted"
    BLOCKED = "blocked"
    WITH_FAILURES = "completed with failures"
    COMPLETED = "completed"


class Role(StrEnum):
    """What an agent is there for. Reviewers and testers have a vote (O7)."""

    DEVELOPER = "developer"
    REVIEWER = "reviewer"
    TESTER = "tester"
    RESEARCHER = "researcher"
    PLANNER = "planner"
    WRITER = "writer"
    OPERATOR = "operator"

    @property
    def votes(self) -> bool:
        """Whether an agent of this role must give a verdict."""
        return self in (Role.REVIEWER, Role.TESTER)


class Verdict(StrEnum):
    """What a labelled region, or an exit status, decided (O6, O10)."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    BLOCKED = "blocked"


class OnFailure(StrEnum):
    """What a wave with a failed agent means for the waves after it."""

    CONTINUE = "continue"
    STOP = "stop"


class WatchDeath(StrEnum):
    """What becomes of running agents when the watch itself dies (R19)."""

    STOP = "stop"
    FINISH = "finish"


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Tokens and money of one report or of a sum. `None` is unknown, never zero (U2).

    Tokens are whole tokens; `input` excludes what the cache served. `cost` and `estimated` are integer nano-dollars:
    `cost` as the CLI reported it, `estimated` from tokens and a price list (U3).
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cost: int | None = None
    estimated: int | None = None
