"""How things stand: a run, its delegations and their attempts, as the events add up to.

`store.fold` builds these from events and `store.views` loads them from the tables; they must be equal (E2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.model import FINAL_STATES, Outcome, Reason, RunState, State, Verdict
from store.plan import Plan
from store.usage import Totals


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One process of one delegation, from commit to end. `id` is half of its mark."""

    number: int
    id: str
    cli: str
    started_at: int
    session: str | None = None
    deadline: int | None = None
    pid: int | None = None
    start_ticks: int | None = None
    boot: str | None = None
    namespace: int | None = None
    ended_at: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    asked: Reason | None = None
    result: str | None = None
    leftovers: int = 0
    out_bytes: int = 0
    err_bytes: int = 0
    not_understood: int = 0
    misread: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Delegation:
    """One piece of work handed to one agent in one run."""

    name: str
    wave: int
    position: int
    state: State
    held: bool = False
    not_before: int | None = None  # of one that is tried again (K5)
    reason: Reason | None = None
    detail: str | None = None
    verdict: Verdict | None = None
    quote: str | None = None
    warning: str | None = None
    files: tuple[str, ...] = ()
    model: str | None = None
    answer_bytes: int = 0
    answer_sha256: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    totals: Totals = field(default_factory=Totals)
    attempts: tuple[Attempt, ...] = ()

    @property
    def final(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.state in FINAL_STATES

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know of it whatever it came to: of its end, and of lines that its attempts misspelt."""
        found = (self.warning, *(attempt.misread for attempt in self.attempts))
        return tuple(one for one in found if one)

    @property
    def attempt(self) -> Attempt | None:
        """The newest attempt, if there was one."""
        return self.attempts[-1] if self.attempts else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One execution of a workflow (R1), with everything that may be said of it."""

    id: str
    workflow: str
    name: str
    folder: str
    digest: str
    plan: Plan
    inputs: Mapping[str, str]
    started_at: int
    state: RunState = RunState.LIVE
    paused: bool = False
    draining_until: int | None = None
    halted: Reason | None = None
    halted_detail: str | None = None
    outcome: Outcome | None = None
    reached_end: bool = False
    why: str | None = None
    restored: bool = False
    discarded: bool = False
    continues: str | None = None
    parent: str | None = None
    parent_agent: str | None = None
    ended_at: int | None = None
    wave: int = -1
    totals: Totals = field(default_factory=Totals)
    delegations: Mapping[str, Delegation] = field(default_factory=dict)

    @property
    def live(self) -> bool:
        """Whether the record says that it goes on."""
        return self.state is RunState.LIVE

    def of_wave(self, wave: int) -> list[Delegation]:
        """The delegations of the wave with this index, in the order of the workflow."""
        found = [one for one in self.delegations.values() if one.wave == wave]
        return sorted(found, key=lambda one: one.position)
