"""What an agent printed as a person reads it: its words and what it did, never its control sequences (A4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness import reports as r
from harness.agents import adapter
from tui.text import harmless, harmless_bytes, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.agents.base import Reader
    from store.plan import PlannedAgent

DEED = ">"
TROUBLE = "!"


class Output:
    """Makes lines for people of one attempt's standard output."""

    def __init__(self, planned: PlannedAgent) -> None:
        self._reader = _reader(planned)
        self._said: str | None = None

    def lines(self, line: bytes) -> list[str]:
        """What this line, without its newline, shows: one line, several, or nothing."""
        if self._reader is None:
            return [harmless_bytes(line)]
        return self._shown(self._reader.read(line))

    def end(self) -> list[str]:
        """What only the end of the output shows."""
        return [] if self._reader is None else self._shown(self._reader.end())

    def _shown(self, reports: Iterable[r.Report]) -> list[str]:
        lines: list[str] = []
        for report in reports:
            if isinstance(report, r.Result) and report.ok and report.text == self._said:
                continue
            if isinstance(report, r.Text):
                self._said = report.text
            shown = told(report)
            if shown is not None:
                lines.extend(shown.split("\n"))
        return lines


def told(report: r.Report) -> str | None:
    """The report in harmless words, of several lines where the agent's were; `None` for what is only counted."""
    match report:
        case r.Text(text=text):
            return harmless(text)
        case r.Tool(name=name, detail=detail):
            return one_line(f"{DEED} {name} {detail}")
        case r.File(path=path):
            return one_line(f"{DEED} wrote {path}")
        case r.Blocked(reason=reason):
            return one_line(f"{TROUBLE} blocked: {reason}")
        case r.Failure(kind=kind, message=message, retrying=retrying):
            return one_line(f"{TROUBLE} {kind.replace('_', ' ')}: {message}{', trying again' if retrying else ''}")
        case r.Result(ok=True, text=text):
            return None if text is None else harmless(text)
        case r.Result(error=error):
            return one_line(f"{TROUBLE} ended with an error: {error or 'none given'}")
        case r.Unknown(line=line, why=why):
            shown = harmless_bytes(line)
            return shown if why is None else f"{shown}\n{one_line(f'{TROUBLE} not understood: {why}')}"
        case _:
            return None


def _reader(planned: PlannedAgent) -> Reader | None:
    """The reader of that CLI's lines; `None` where the output is text, or the CLI one that nobody knows any more."""
    try:
        found = adapter(planned.cli)
    except KeyError:
        return None
    return found.reader(reports=planned.reports) if found.takes_lines or planned.reports else None
