"""From an attempt's output to events and, at its end, to the facts its ending is decided from.

However fast an agent reports, what comes together leads to a few events: its turns are one sum, and of what replaces
itself (a name, what a model has cost so far) only the last is given. An event is named by the line that it goes up to.
So a journal can be read again after a crash, as one piece, without anything counting twice (E11, U4): what its last
line led to is the same event again, or one that takes the place of all that was recorded before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness import reports as r
from harness.agents.base import Reader
from harness.ledger import Ledger, Row
from store import events as e
from store.ids import now_ms

MAX_FILES = 1000  # of one agent; more are counted by git, not listed by us
LONGEST_PATH = 4096  # bytes, as the system has it: what is longer is no file
LONGEST_REASON = 2_000  # characters


def shortened(text: str) -> str:
    """The beginning of what an agent gave as a reason, which goes into the record, and how much more there was."""
    text = text.strip()
    left = len(text) - LONGEST_REASON
    return text if left <= 0 else f"{text[:LONGEST_REASON]}… ({left:,} more characters in its journal)"


@dataclass(slots=True)
class _Together:
    """What one batch of lines came to."""

    turns: int = 0
    session: str | None = None
    model: str | None = None
    used: bool = False


class AttemptReading:
    """What one attempt has said so far.

    `turns`: how many turns of it the record has already, when its journal is read again.
    """

    def __init__(
        self, *, run: str, agent: str, attempt: int, attempt_id: str, reader: Reader, ledger: Ledger, turns: int = 0
    ) -> None:
        self._run, self._agent, self._attempt, self._id = run, agent, attempt, attempt_id
        self._reader = reader
        self._ledger = ledger
        self._lines = 0
        self._known_turns = turns
        self.session: str | None = None
        self.model: str | None = None
        self.answer: str | None = None
        self.result: r.Result | None = None
        self.blocked: str | None = None
        self.failures: tuple[r.Failure, ...] = ()
        self._unnamed: str | None = None  # the model of usage that names none
        self.files: dict[str, None] = {}
        self.not_understood = 0
        self._misread = 0
        self._first_misread = ""
        self.metered = False
        self._news: list[r.Failure | None] = []

    def news(self) -> list[r.Failure | None]:
        """Structured failures since the last time this was asked, in order; `None` where the provider answered."""
        news, self._news = self._news, []
        return news

    @property
    def misread(self) -> str | None:
        """The sentence for lines that were meant as reports and are none; `None` when there was no such line."""
        if not self._misread:
            return None
        lines = "1 report line" if self._misread == 1 else f"{self._misread:,} report lines"
        return f"{lines} not understood, {'first: ' if self._misread > 1 else ''}{self._first_misread}"

    def read(self, lines: Iterable[bytes]) -> list[e.Event]:
        """The events of these lines."""
        together = _Together()
        for line in lines:
            self._line(line, together)
        return self._events(together)

    def end(self) -> list[e.Event]:
        """The events that only the end of the output decides."""
        return self.read_to_end(())

    def read_to_end(self, lines: Iterable[bytes]) -> list[e.Event]:
        """The events of these lines and of the end, as one: for a journal that is read again, whole."""
        together = _Together()
        for line in lines:
            self._line(line, together)
        self._lines += 1
        for report in self._reader.end():
            self._take(report, together)
        return self._events(together)

    def _line(self, line: bytes, together: _Together) -> None:
        self._lines += 1
        for report in self._reader.read(line):
            self._take(report, together)

    def _take(self, report: r.Report, together: _Together) -> None:
        match report:
            case r.Session(id=session):
                if session != self.session:
                    self.session = together.session = session
            case r.Model(name=name):
                if name != self.model:
                    self.model = together.model = name
            case r.Turn():
                if self._known_turns:
                    self._known_turns -= 1
                else:
                    together.turns += 1
            case r.Usage():
                self.metered = together.used = True
                self._ledger.take(report)
                if report.counts.output and self._news[-1:] != [None]:
                    self._news.append(None)
                if report.model is None:
                    self._unnamed = self.model
            case r.Text(text=text):
                self.answer = text
            case r.Result():
                self.result = report
                if report.text is not None:
                    self.answer = report.text
            case r.Blocked(reason=reason):
                self.blocked = shortened(reason)
            case r.Failure():
                self.failures = (*self.failures[-9:], report)
                self._news = [*self._news[-99:], report]
            case r.File(path=path):
                if len(self.files) < MAX_FILES and len(path.encode()) <= LONGEST_PATH:
                    self.files[path] = None
            case r.Unknown(why=why):
                self.not_understood += 1
                if why is not None:
                    self._first_misread = self._first_misread or shortened(f"line {self._lines}: {why}")
                    self._misread += 1
            case r.Tool():
                pass

    def _events(self, together: _Together) -> list[e.Event]:
        found: list[e.Event] = []
        if together.session is not None or together.model is not None:
            found.append(
                e.AttemptNamed(
                    run=self._run,
                    agent=self._agent,
                    attempt=self._attempt,
                    session=together.session,
                    model=together.model,
                    id=f"{self._id}.{self._lines}.name",
                    at=now_ms(),
                )
            )
        if together.turns:
            found.append(self._used("turns", turns=together.turns))
        if together.used:
            found.extend(self._row(row) for row in self._ledger.changed())
        return found

    def _row(self, row: Row) -> e.Event:
        model = row.model or self._unnamed
        return self._used(row.request, counts=row.counts, model=model, request=row.request, at_least=row.at_least)

    def _used(self, what: str, **facts: Any) -> e.Event:
        event_id = f"{self._id}.{self._lines}.{what}"
        return e.UsageRecorded(run=self._run, agent=self._agent, attempt=self._attempt, id=event_id, **facts)
