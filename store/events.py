"""The facts: one frozen class for each thing that can happen.

An event says what happened, never what to do. Its `type` is part of the contract and never renamed. Times are
milliseconds since 1970, UTC. How an event is written down is `store.encoding`'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from store.ids import new_id, now_ms
from store.model import Counts, Outcome, Reason, Verdict
from store.plan import Plan


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something that happened: when, in which run, to which agent (if to one)."""

    type: ClassVar[str]

    run: str | None = None
    agent: str | None = None
    at: int = field(default_factory=now_ms)
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class HarnessPaused(Event):
    """A person holds everything that has not started, in every run."""

    type: ClassVar[str] = "harness.paused"


@dataclass(frozen=True, kw_only=True, slots=True)
class HarnessUnpaused(Event):
    """The hold on everything is lifted."""

    type: ClassVar[str] = "harness.unpaused"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLaunched(Event):
    """A workflow began to run. `workflow` is its resolved path, its identity; `name` only a label."""

    type: ClassVar[str] = "run.launched"

    workflow: str
    name: str
    folder: str  # the working folder of its agents
    plan: Plan
    digest: str  # of the workflow's content, so that a later reader knows what was run
    inputs: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)  # names and fingerprints, never values (R20)
    continues: str | None = None
    parent: str | None = None  # the run, and its agent, that launched it from inside (R21)
    parent_agent: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPaused(Event):
    """What has not started in this run is held."""

    type: ClassVar[str] = "run.paused"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunUnpaused(Event):
    """The hold on this run is lifted."""

    type: ClassVar[str] = "run.unpaused"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDraining(Event):
    """Nothing new starts in this run; what is still at work at `until` is ended."""

    type: ClassVar[str] = "run.draining"

    until: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStopping(Event):
    """A person or a gate of the run halted it; from here on its outcome is `stopped` (R14)."""

    type: ClassVar[str] = "run.stopping"

    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFinished(Event):
    """The run ended. `why` is the sentence that a person reads beside the outcome."""

    type: ClassVar[str] = "run.finished"

    outcome: Outcome
    reached_end: bool
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRestored(Event):
    """Its watch was gone; what follows in the same transaction settles it from what was recorded (R9)."""

    type: ClassVar[str] = "run.restored"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDiscarded(Event):
    """A person settled the recovery entry: nothing is offered for this run again (R12)."""

    type: ClassVar[str] = "run.discarded"


@dataclass(frozen=True, kw_only=True, slots=True)
class WaveStarted(Event):
    """The wave with this index (from 0) was handed out."""

    type: ClassVar[str] = "wave.started"

    wave: int
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WaveFinished(Event):
    """Every agent of the wave is in a final state."""

    type: ClassVar[str] = "wave.finished"

    wave: int
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationRefining(Event):
    """A work item is being drafted with the person (E10)."""

    type: ClassVar[str] = "delegation.refining"

    wave: int = 0
    position: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationDelegated(Event):
    """Work was handed over; it waits for its turn."""

    type: ClassVar[str] = "delegation.delegated"

    wave: int = 0
    position: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationPaused(Event):
    """This agent is held as long as it has not started."""

    type: ClassVar[str] = "delegation.paused"


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationUnpaused(Event):
    """The hold on this agent is lifted."""

    type: ClassVar[str] = "delegation.unpaused"


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationStarted(Event):
    """An attempt is committed, with its mark, before any process exists: nothing runs that the record does not know.

    `session` is set when the attempt takes up, or was given, an exact session id (R17).
    """

    type: ClassVar[str] = "delegation.started"

    attempt: int
    attempt_id: str
    cli: str
    session: str | None = None
    deadline: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationRetrying(Event):
    """Its attempt met a rate limit or an overload: another one starts, at `not_before` (ms) at the earliest (K5)."""

    type: ClassVar[str] = "delegation.retrying"

    not_before: int
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationReported(Event):
    """Its process ended with something to read; the result is being collected."""

    type: ClassVar[str] = "delegation.reported"

    attempt: int
    answer_bytes: int = 0
    answer_sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationAccepted(Event):
    """Done. A verdict of rejection is also work done: it decides the run's outcome, not the agent's state."""

    type: ClassVar[str] = "delegation.accepted"

    verdict: Verdict | None = None
    quote: str | None = None
    files: tuple[str, ...] = ()
    warning: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationFailed(Event):
    """Failed, for good (O3). `detail` says what failed."""

    type: ClassVar[str] = "delegation.failed"

    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationBlocked(Event):
    """Could not proceed and said so."""

    type: ClassVar[str] = "delegation.blocked"

    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationStopping(Event):
    """Asked to end; the word stays 'stopping' until its tree is proven gone (R16)."""

    type: ClassVar[str] = "delegation.stopping"

    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationStopped(Event):
    """Ended because of `reason`; nothing of it is left."""

    type: ClassVar[str] = "delegation.stopped"

    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DelegationNotStarted(Event):
    """It was never launched, because of `reason`."""

    type: ClassVar[str] = "delegation.not_started"

    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptStarted(Event):
    """The attempt has a process: its identity on this machine."""

    type: ClassVar[str] = "attempt.started"

    attempt: int
    pid: int
    start_ticks: int
    boot: str
    namespace: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptNamed(Event):
    """The CLI named its session or its model."""

    type: ClassVar[str] = "attempt.named"

    attempt: int
    session: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptEnded(Event):
    """How the attempt ended: all that the table of endings is decided from (A5)."""

    type: ClassVar[str] = "attempt.ended"

    attempt: int
    exit_code: int | None = None
    signal: int | None = None
    asked: Reason | None = None
    result: str | None = None  # 'success' or 'error', as the CLI's own final event said
    leftovers: int = 0
    out_bytes: int = 0
    err_bytes: int = 0
    not_understood: int = 0  # lines of its output
    misread: str | None = None  # the sentence for those that were meant as reports


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageRecorded(Event):
    """What something cost, and the turns it took.

    The same `request` of the same attempt again replaces what was recorded for it (U6). `counts` of `None` records
    turns alone. A counter of `None` inside `counts` is unknown (U2); `at_least` says that known ones are incomplete.
    """

    type: ClassVar[str] = "usage.recorded"

    attempt: int
    turns: int = 0
    counts: Counts | None = None
    model: str | None = None
    request: str | None = None
    at_least: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialHeld(Event):
    """A sign-in was refused and its CLI tries again: nothing more is launched on this credential meanwhile (K1).

    `key` tells one credential from another and holds nothing of its secret (K2). `attempt`, with the run and the agent
    of the event, is where it was found out.
    """

    type: ClassVar[str] = "credential.held"

    key: str
    cli: str
    attempt: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialDied(Event):
    """A CLI gave up on signing in: no other is launched on this credential (K1). Fields as of `CredentialHeld`."""

    type: ClassVar[str] = "credential.died"

    key: str
    cli: str
    attempt: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialLimited(Event):
    """A usage limit was reached: nothing more is launched on this credential (K6). `resets_at`: as the CLI gave it."""

    type: ClassVar[str] = "credential.limited"

    key: str
    cli: str
    attempt: int
    message: str
    resets_at: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialCleared(Event):
    """Nothing is remembered of this credential any more; `why` is the half of a sentence that follows 'because'."""

    type: ClassVar[str] = "credential.cleared"

    key: str
    why: str
