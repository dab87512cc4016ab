"""What a conductor can be told: by the supervisor, by its own tasks, by a person's request, by the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.admission import Spent
from harness.at_work import TakenUp
from harness.identity import Identity
from harness.supervisor import Exit, Order
from store.events import Event


class DoesNotApply(Exception):
    """A request that does not apply from here; its text goes back to the person (exit status 8)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """The hand-over is written and the order to launch is ready."""

    agent: str
    order: Order


@dataclass(frozen=True, kw_only=True, slots=True)
class Started:
    """The agent has a process."""

    agent: str
    identity: Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """The agent could not be started: `error` is a sentence."""

    agent: str
    error: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """Complete lines of standard output, already in the journal."""

    agent: str
    lines: Sequence[bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class SignOfLife:
    """Bytes came."""

    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OverLimit:
    """It printed more than its output limit."""

    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """Its tree is verified gone and its journals are complete. `settled`: waited long enough to judge a signal."""

    agent: str
    exit: Exit
    settled: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """Its result was read; `event` is what the reading came to."""

    agent: str
    event: Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Again:
    """An attempt that is tried again was looked back at; `taken_up` is what the next one takes up of it, if it does."""

    agent: str
    taken_up: TakenUp | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A person's request about this run or one agent of it. `request` is `None` for one that is answered elsewhere."""

    request: str | None
    verb: str
    agent: str | None = None
    minutes: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Interrupt:
    """The watch was told to end: launch nothing more, end everything, settle as interrupted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """The sweeper found it past its deadline, or silent for too long (E9)."""

    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ParentStopped:
    """The run or the agent that launched this run was stopped, or its run has ended."""

    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Below:
    """What a run that one of its agents launched has used by now, together with those below that one."""

    run: str
    agent: str
    spent: Spent


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """Time passed or a hold changed: look at the gates of the run and at what may start."""


Message = (
    Prepared
    | Started
    | Refused
    | Lines
    | SignOfLife
    | OverLimit
    | Gone
    | Reviewed
    | Again
    | Asked
    | Interrupt
    | Stuck
    | ParentStopped
    | Below
    | Look
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSink:
    """What the supervisor tells about one agent, as messages to its conductor."""

    agent: str
    put: Callable[[Message], None]

    def started(self, identity: Identity) -> None:
        """It has a process."""
        self.put(Started(agent=self.agent, identity=identity))

    def refused(self, error: str) -> None:
        """It could not be started."""
        self.put(Refused(agent=self.agent, error=error))

    def lines(self, lines: Sequence[bytes]) -> None:
        """It printed complete lines."""
        self.put(Lines(agent=self.agent, lines=lines))

    def output(self, out_bytes: int, err_bytes: int) -> None:
        """It printed something."""
        self.put(SignOfLife(agent=self.agent))

    def over_limit(self) -> None:
        """It printed more than it may."""
        self.put(OverLimit(agent=self.agent))

    def disk_full(self) -> None:
        """Its journal cannot grow: it waits on its pipe, which is not a failure of its own."""

    def gone(self, exit: Exit) -> None:  # noqa: A002  # the noun of the domain
        """It ended."""
        self.put(Gone(agent=self.agent, exit=exit))
