"""From an attempt's output to events and, at its end, to the facts its ending is decided from.

The same bytes always give the same events with the same ids, so a journal can be read again after a crash without
anything counting twice (E11, U4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness import reports as r
from harness.agents.base import Reader
from harness.ledger import Ledger
from store import events as e
from store.ids import now_ms

MAX_FILES = 1000  # of one agent; more are counted by git, not listed by us


class AttemptReading:
    """What one attempt has said so far."""

    def __init__(self, *, run: str, agent: str, attempt: int, attempt_id: str, reader: Reader, ledger: Ledger) -> None:
        self._run, self._agent, self._attempt, self._id = run, agent, attempt, attempt_id
        self._reader = reader
        self._ledger = ledger
        self._ordinal = 0
        self.session: str | None = None
        self.model: str | None = None
        self.answer: str | None = None
        self.result: r.Result | None = None
        self.blocked: str | None = None
        self.failures: tuple[r.Failure, ...] = ()
        self.files: dict[str, None] = {}
        self.not_understood = 0
        self.metered = False

    def read(self, lines: Iterable[bytes]) -> list[e.Event]:
        """The events of these lines."""
        found: list[e.Event] = []
        for line in lines:
            for report in self._reader.read(line):
                found.extend(self._take(report))
        return found

    def end(self) -> list[e.Event]:
        """The events that only the end of the output decides."""
        found: list[e.Event] = []
        for report in self._reader.end():
            found.extend(self._take(report))
        return found

    def _take(self, report: r.Report) -> Sequence[e.Event]:
        match report:
            case r.Session(id=session):
                if session == self.session:
                    return ()
                self.session = session
                return (self._named(session=session),)
            case r.Model(name=name):
                if name == self.model:
                    return ()
                self.model = name
                return (self._named(model=name),)
            case r.Turn():
                return (self._used(e.UsageRecorded(attempt=self._attempt, turns=1)),)
            case r.Usage():
                self.metered = True
                return [
                    self._used(
                        e.UsageRecorded(
                            attempt=self._attempt,
                            counts=entry.counts,
                            model=entry.model or self.model,
                            request=entry.request,
                            at_least=entry.at_least,
                        )
                    )
                    for entry in self._ledger.count(report)
                ]
            case r.Text(text=text):
                self.answer = text
            case r.Result():
                self.result = report
                if report.text is not None:
                    self.answer = report.text
            case r.Blocked(reason=reason):
                self.blocked = reason
            case r.Failure():
                self.failures = (*self.failures[-9:], report)
            case r.File(path=path):
                if len(self.files) < MAX_FILES:
                    self.files[path] = None
            case r.Unknown():
                self.not_understood += 1
            case r.Tool():
                pass
        return ()

    def _next_id(self) -> str:
        self._ordinal += 1
        return f"{self._id}.{self._ordinal}"

    def _named(self, *, session: str | None = None, model: str | None = None) -> e.Event:
        return e.AttemptNamed(
            run=self._run,
            agent=self._agent,
            attempt=self._attempt,
            session=session,
            model=model,
            id=self._next_id(),
            at=now_ms(),
        )

    def _used(self, event: e.UsageRecorded) -> e.Event:
        from dataclasses import replace

        return replace(event, run=self._run, agent=self._agent, id=self._next_id())
