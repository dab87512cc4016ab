"""Real output of agent CLIs beside what really reached the model, recorded against tests/real/fake_model.py.

`CLI/NAME.jsonl` is standard output, `CLI/NAME.requests.jsonl` one line for each model request with its status and the
tokens it was billed: input, output, cache write, cache read. `CLI/NAME.stderr` is standard error and `CLI/NAME.usage`
the file that it wrote its usage to, where either matters.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.agents import adapter
from harness.agents.base import NOTHING_BESIDE, Beside
from harness.ledger import Ledger, Row
from harness.reports import Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
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
    return read(cli, lines(cli, name), beside(cli, name))


def beside(cli: str, name: str) -> Beside:
    """What it left beside its output; what was not recorded is not there."""
    return Beside(errors=_FOLDER / cli / f"{name}.stderr", usage=_FOLDER / cli / f"{name}.usage")


def read(cli: str, output: Sequence[bytes], beside: Beside = NOTHING_BESIDE) -> list[Report]:
    """What its adapter's reader makes of these lines and their end."""
    reader = adapter(cli).reader(beside=beside)
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


def billed_without_writes(cli: str, name: str) -> Counts:
    """As `billed`, where the model's protocol has no count of cache writes: they are part of the input."""
    real = billed(cli, name)
    return replace(real, input=(real.input or 0) + (real.cache_write or 0), cache_write=None)


def said(found: Sequence[Report]) -> list[str]:
    """The reports in short, usage left out."""
    words = []
    for report in found:
        match report:
            case Session():
                words.append("session")
            case Model(name=name):
                words.append(f"model {name}")
            case Turn():
                words.append("turn")
            case Text(text=text):
                words.append(f"text {text}")
            case Tool(name=name, detail=detail):
                words.append(f"tool {name} {detail}".rstrip())
            case File(path=path):
                words.append(f"file {path}")
            case Failure(kind=kind, retrying=retrying):
                words.append(f"{'retrying' if retrying else 'gave up'} {kind}")
            case Result(ok=ok):
                words.append("result" if ok else "result error")
            case Unknown():
                words.append("unknown")
    return words
