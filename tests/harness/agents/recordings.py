"""Real output of agent CLIs beside what really reached the model, recorded against tests/real/fake_model.py.

`CLI/NAME.jsonl` is standard output, `CLI/NAME.requests.jsonl` one line for each model request with its status and the
tokens it was billed: input, output, cache write, cache read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from harness.agents import adapter
from harness.ledger import Ledger, Row
from harness.reports import Report, Usage
from store.model import Counts

_FOLDER = Path(__file__).parent.parent / "recordings"


def names(cli: str) -> list[str]:
    """Every recording of this CLI."""
    return sorted(path.stem for path in (_FOLDER / cli).glob("*.jsonl") if not path.name.endswith(".requests.jsonl"))


def lines(cli: str, name: str) -> list[bytes]:
    """What it printed, by lines."""
    return (_FOLDER / cli / f"{name}.jsonl").read_bytes().splitlines()


def reports(cli: str, name: str) -> list[Report]:
    """What its adapter's reader makes of it."""
    return read(cli, lines(cli, name))


def read(cli: str, output: Sequence[bytes]) -> list[Report]:
    """What its adapter's reader makes of these lines and their end."""
    reader = adapter(cli).reader()
    return [*(report for line in output for report in reader.read(line)), *reader.end()]


def billed(cli: str, name: str) -> Counts:
    """What the model answered with success, added up."""
    log = (_FOLDER / cli / f"{name}.requests.jsonl").read_text().splitlines()
    usages = [one["usage"] for one in map(json.loads, log) if one["usage"]]
    total = [sum(column) for column in zip(*usages, strict=True)] or [0, 0, 0, 0]
    return Counts(input=total[0], output=total[1], cache_write=total[2], cache_read=total[3])


def counted(found: Sequence[Report], ledger: Ledger | None = None) -> dict[str, Row]:
    """The newest row of each model after these reports."""
    ledger = ledger or Ledger()
    rows: dict[str, Row] = {}
    for report in found:
        if isinstance(report, Usage):
            rows |= {row.request: row for row in ledger.count(report)}
    return rows
