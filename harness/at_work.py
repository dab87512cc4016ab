"""One attempt while it is alive: what must be known of it that is not in the record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.agents.base import Adapter, CredentialShape
from harness.attempt_files import AttemptFiles, beside
from harness.cli_names import COMMAND
from harness.ending import AttemptFacts, Ending, ending
from harness.ledger import Ledger
from harness.reading import AttemptReading
from harness.supervisor import Exit, Kept
from store import events as e
from store.model import Reason
from store.plan import PlannedAgent


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Where an attempt's answer lies, and how many bytes it has. `text` is still to be written to `path`."""

    path: Path
    bytes: int
    text: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenUp:
    """The attempt that an agent takes up again, and what the agent is told about it (R11).

    `session`: the exact session to take up; without one the agent starts anew with the recorded hand-over. `ledger`
    counts from where the session stood when it was cut off, so that nothing of it is paid for twice (U4).
    """

    agent: str
    run: str
    attempt: int
    session: str | None
    ledger: Ledger
    tell: str


@dataclass(kw_only=True, slots=True)
class AtWork:
    """An attempt between its commit and its final state. Mutable: it follows a living process.

    `started` and `last_sign` are moments of `clock` (`harness.clock`); whether it is stuck is the sweeper's to find.
    """

    run: str
    planned: PlannedAgent
    adapter: Adapter
    attempt: int
    attempt_id: str
    session: str | None = None
    taken_up: TakenUp | None = None
    credential: CredentialShape | None = None
    reading: AttemptReading
    started: float = 0.0
    last_sign: float = 0.0
    clock: Callable[[], float] = time.monotonic
    kept: Kept | None = None
    launched: bool = False
    asked: Reason | None = None
    stuck: str | None = None
    gone: Exit | None = None
    reviewing: bool = False

    def __post_init__(self) -> None:
        self.started = self.last_sign = self.clock()

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.planned.name

    @property
    def takes_lines(self) -> bool:
        """Whether its standard output is reports to be read; otherwise it is the answer."""
        return self.adapter.takes_lines or self.planned.reports

    def spoke(self) -> None:
        """Bytes came from it just now."""
        self.last_sign = self.clock()

    @property
    def goes_on(self) -> bool:
        """Whether nobody has asked it to end and it has not ended."""
        return self.asked is None and self.stuck is None and self.gone is None

    @property
    def deadline(self) -> float | None:
        """When its timeout is over, on its clock; `None` when it has none, or is ending anyway."""
        limit = self.planned.timeout
        return None if limit is None or not self.goes_on else self.started + limit

    @property
    def silent_by(self) -> float | None:
        """When it will have been silent for too long, on its clock, unless it gives a sign of life before (E9)."""
        limit = self.planned.no_sign_of_life
        return None if limit is None or not self.goes_on or not self.launched else self.last_sign + limit

    def ended(self) -> e.AttemptEnded:
        """The event that records how it ended: what we had asked, its exit, its result (A5)."""
        gone, result = self.gone, self.reading.result
        return e.AttemptEnded(
            run=self.run,
            agent=self.agent,
            attempt=self.attempt,
            exit_code=None if gone is None else gone.code,
            signal=None if gone is None else gone.signal,
            asked=self.asked,
            result=None if result is None else ("success" if result.ok else "error"),
            leftovers=0 if gone is None else gone.leftovers,
            out_bytes=0 if gone is None else gone.out_bytes,
            err_bytes=0 if gone is None else gone.err_bytes,
            not_understood=self.reading.not_understood,
            misread=self.reading.misread,
        )

    def ending(self, *, interrupted_near: bool = False) -> Ending:
        """How it ended, by the table (A5); nobody had asked it to.

        `interrupted_near`: the watch was told to end within 2 s of it, or the box restarted.
        """
        gone = self.gone
        return ending(
            AttemptFacts(
                code=None if gone is None else gone.code,
                signal=None if gone is None else gone.signal,
                result=self.reading.result,
                failures=self.reading.failures,
                blocked=self.reading.blocked,
                gives_result=self.adapter.gives_result,
                by_exit=self.planned.cli == COMMAND and not self.planned.reports,
                interrupted_near=interrupted_near,
                votes=self.planned.role.votes,
                reject_on=self.planned.reject_on,
            )
        )

    def answer(self, files: AttemptFiles) -> Answer:
        """Where its answer lies, or will lie."""
        if self.takes_lines:
            text = self.reading.answer or ""
            return Answer(path=files.answer, bytes=len(text.encode("utf-8", "replace")), text=text)
        return Answer(path=files.out, bytes=0 if self.gone is None else self.gone.out_bytes)


def reading_of(
    run: str,
    planned: PlannedAgent,
    adapter: Adapter,
    attempt: int,
    attempt_id: str,
    *,
    files: AttemptFiles,
    ledger: Ledger | None = None,
    turns: int = 0,
) -> AttemptReading:
    """A reading that has read nothing yet. `ledger` counts from where a session that is taken up stood.

    `turns`: those that the record has already, of a journal that is read again.
    """
    return AttemptReading(
        run=run,
        agent=planned.name,
        attempt=attempt,
        attempt_id=attempt_id,
        reader=adapter.reader(reports=planned.reports, beside=beside(files)),
        ledger=ledger if ledger is not None else Ledger(),
        turns=turns,
    )
