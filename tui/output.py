"""What an agent printed as a person reads it: its words and what it did, never its control sequences (A4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness import reports as r
from harness.agents import adapter
from tui.text import harmless, harmless_bytes, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.agents.base import Reader
    from store.model import PlannedAgent

DOES = "*"  # before what an agent does, as against what it says


class Output:
    """Makes lines for people of one attempt's standard output."""

    def __init__(self, planned: PlannedAgent) -> None:
        self._reader = _reader(planned)
        self._said: str | None = None

    def lines(self, line: bytes) -> list[str]:
        """What this line, without its newline, shows: one line, several, or nothing."""
        if self._reader is None:
            return [harmless_bytes(line)]
        return list(self._show(self._reader.read(line)))

    def end(self) -> list[str]:
        """What only the end of the output shows."""
        return [] if self._reader is None else list(self._show(self._reader.end()))

    def _show(self, reports: Sequence[r.Report]) -> Iterator[str]:
        for report in reports:
            match report:
                case r.Text(text=text):
                    self._said = text
                    yield from harmless(text).split("\n")
                case r.Tool(name=name, detail=detail):
                    yield f"{DOES} {one_line(name)} {one_line(detail)}".rstrip()
                case r.File(path=path):
                    yield f"{DOES} file {one_line(path)}"
                case r.Blocked(reason=reason):
                    yield f"blocked: {one_line(reason)}"
                case r.Failure(kind=kind, message=message, retrying=retrying):
                    yield f"{'trying again after an error' if retrying else 'error'} ({kind}): {one_line(message)}"
                case r.Result(text=text) if text is not None and text != self._said:
                    yield from harmless(text).split("\n")
                case r.Result(ok=False, error=error) if error is not None:
                    yield f"error: {one_line(error)}"
                case r.Unknown(line=line):
                    yield harmless_bytes(line)


def _reader(planned: PlannedAgent) -> Reader | None:
    """The reader of that CLI's lines; `None` where the output is text, or the CLI one that nobody knows any more."""
    try:
        found = adapter(planned.cli)
    except KeyError:
        return None
    return found.reader(reports=planned.reports) if found.takes_lines or planned.reports else None
