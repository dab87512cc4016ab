"""Whose output is looked at: one attempt of one agent, and how its journal is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.paths import Places
from store.run import Attempt, Delegation, Run
from tui.transcript import Transcript

if TYPE_CHECKING:
    from harness.agents.base import Reader


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Whose output is shown. Another attempt is another source."""

    run: str
    agent: str
    attempt: int
    cli: str
    reports: bool

    @classmethod
    def of(cls, run: Run, delegation: Delegation) -> Source | None:
        """The newest attempt of an agent; `None` when it has not started."""
        attempt = delegation.attempt
        if attempt is None:
            return None
        return cls.of_attempt(run, delegation, attempt)

    @classmethod
    def of_attempt(cls, run: Run, delegation: Delegation, attempt: Attempt) -> Source:
        """One attempt of an agent, whichever."""
        planned = run.plan.agent(delegation.name)
        return cls(run=run.id, agent=delegation.name, attempt=attempt.number, cli=planned.cli, reports=planned.reports)

    def open(self, places: Places, tool_sign: str) -> Transcript:
        """Its transcript, nothing of it read yet."""
        return Transcript(
            places.journal(self.run, self.agent, self.attempt, "out"),
            places.journal(self.run, self.agent, self.attempt, "err"),
            reader=self._reader,
            tool_sign=tool_sign,
        )

    def _reader(self) -> Reader | None:
        from harness.agents import adapter

        try:
            chosen = adapter(self.cli)
        except KeyError:  # recorded by a midwatch that knew another CLI: shown as it is
            return None
        return chosen.reader(reports=self.reports) if chosen.takes_lines or self.reports else None
