"""One attempt of a real CLI, started as its adapter says: prompt in a file as standard input, output into a file."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.agents.base import Adapter, Brief, Invocation
from harness.ledger import Ledger, Row
from harness.reports import Report, Result, Session, Usage


@dataclass(kw_only=True)
class Attempt:
    """A process of the CLI, and what it has said so far."""

    adapter: Adapter
    invocation: Invocation
    process: subprocess.Popen[bytes]
    out: Path
    ledger: Ledger = field(default_factory=Ledger)

    def reports(self) -> list[Report]:
        """What its output says so far; its end too once it has ended."""
        ended = self.process.poll() is not None
        reader = self.adapter.reader()
        lines = self.out.read_bytes().split(b"\n")
        found = [report for line in (lines if ended else lines[:-1]) for report in reader.read(line)]
        return [*found, *reader.end()] if ended else found

    def until(self, condition: Callable[[], bool], *, seconds: float = 30.0) -> None:
        """Returns once the condition holds; fails the test when the process ends or time passes before that."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"not in time, exit {self.process.returncode}: {self.out.read_bytes()[-2000:]!r}")
            time.sleep(0.02)

    def end(self, *, seconds: float = 60.0) -> int:
        """Its exit status, `-N` for signal N."""
        return self.process.wait(seconds)

    def signal(self, number: signal.Signals) -> int:
        """Its exit status after this signal."""
        self.process.send_signal(number)
        return self.end()

    def rows(self) -> dict[str, Row]:
        """What it has cost, by the ledger."""
        ledger, rows = Ledger(), {}
        for report in self.reports():
            if isinstance(report, Usage):
                rows |= {row.request: row for row in ledger.count(report)}
        return rows

    @property
    def row(self) -> Row:
        """What it has cost, of the one model it used."""
        (row,) = self.rows().values()
        return row

    @property
    def result(self) -> Result:
        """Its last result."""
        return [report for report in self.reports() if isinstance(report, Result)][-1]

    @property
    def session(self) -> str:
        """The session it named."""
        return next(report.id for report in self.reports() if isinstance(report, Session))


def begin(adapter: Adapter, brief: Brief, *, folder: Path, env: Mapping[str, str]) -> Attempt:
    """Starts it in `folder`, in a session of its own, with nothing but `env` and what the adapter adds."""
    files = folder.parent
    invocation = adapter.invoke(brief)
    number = len(list(files.glob("*.out")))
    prompt, out = files / f"{number}.prompt", files / f"{number}.out"
    prompt.write_text(invocation.stdin)
    prompt.chmod(0o600)
    stdin = os.open(prompt, os.O_RDONLY)
    try:
        with out.open("wb") as stdout, out.with_suffix(".err").open("wb") as stderr:
            process = subprocess.Popen(
                invocation.argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env={**env, **invocation.env},
                start_new_session=True,
            )
    finally:
        os.close(stdin)
    return Attempt(adapter=adapter, invocation=invocation, process=process, out=out)
