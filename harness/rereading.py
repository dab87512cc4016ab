"""A journal read again from its start: after a crash, and when a session is taken up (E11, U4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.agents import adapter
from harness.attempt_files import AttemptFiles
from harness.journal import Lines
from harness.ledger import Ledger, Meter
from harness.reports import Usage
from store.model import Counts, PlannedAgent

_CHUNK = 1 << 20


def lines_of(path: Path) -> Iterator[list[bytes]]:
    """The lines of a journal, in batches; none when there is no journal."""
    framing = Lines()
    try:
        with path.open("rb") as journal:
            while chunk := journal.read(_CHUNK):
                yield framing.feed(chunk)
    except FileNotFoundError:
        return
    yield framing.end()


def session_totals_of(planned: PlannedAgent, files: AttemptFiles) -> Mapping[Meter, Counts] | None:
    """Where the cumulative counters of the session stood when that attempt broke off; `None` when nobody can know."""
    reader, ledger = adapter(planned.cli).reader(reports=planned.reports), Ledger()
    reports = [report for lines in lines_of(files.out) for line in lines for report in reader.read(line)]
    for report in (*reports, *reader.end()):
        if isinstance(report, Usage):
            ledger.count(report)
    return ledger.session_totals
