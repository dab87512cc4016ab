"""A journal read again from its start: after a crash, and when a session is taken up (E11, U4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from harness.agents import adapter
from harness.attempt_files import AttemptFiles, beside
from harness.journal import Lines
from harness.ledger import Ledger, Meter
from harness.reports import Report, Usage
from store.model import Counts
from store.plan import PlannedAgent

_CHUNK = 1 << 20
_NOTHING: Mapping[Meter, Counts] = MappingProxyType({})


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


def session_totals_of(
    planned: PlannedAgent, journals: Iterable[AttemptFiles], *, begun: Mapping[Meter, Counts] | None = _NOTHING
) -> Mapping[Meter, Counts] | None:
    """Where the cumulative counters of a session stood when its last attempt broke off; `None` when nobody can know.

    `journals` are those of every attempt on that session since they stood at `begun`, oldest first.
    """
    totals = begun
    for files in journals:
        reader, ledger = adapter(planned.cli).reader(reports=planned.reports, beside=beside(files)), Ledger(totals)
        for lines in lines_of(files.out):
            for line in lines:
                _count(ledger, reader.read(line))
        _count(ledger, reader.end())
        totals = ledger.session_totals
    return totals


def _count(ledger: Ledger, reports: Iterable[Report]) -> None:
    for report in reports:
        if isinstance(report, Usage):
            ledger.take(report)
