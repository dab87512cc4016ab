"""One attempt of a real CLI, started as its adapter says: prompt in a file as standard input, output into a file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from harness.agents.base import Adapter, Beside, Brief, Invocation
from harness.ledger import Ledger, Row
from harness.reports import ErrorKind, Failure, Report, Result, Session, Turn, Usage

Ask = Callable[..., "Attempt"]


@dataclass(kw_only=True)
class Attempt:
    """A process of the CLI, and what it has said so far."""

    adapter: Adapter
    invocation: Invocation
    process: subprocess.Popen[bytes]
    out: Path

    def reports(self) -> list[Report]:
        """What its output says so far; its end too once it has ended."""
        ended = self.process.poll() is not None
        beside = Beside(errors=self.out.with_suffix(".err"), usage=self.out.with_suffix(".usage"))
        reader = self.adapter.reader(beside=beside)
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

    def signal_group(self, number: signal.Signals) -> int:
        """The exit status of the process that was begun, after this signal to its whole group."""
        os.killpg(self.process.pid, number)
        return self.end()

    def kill(self) -> None:
        """Ends it and every process of its group at once, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.end()

    def rows(self, ledger: Ledger | None = None) -> dict[str, Row]:
        """What it has cost, by the ledger."""
        ledger, rows = ledger or Ledger(), {}
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
    def turns(self) -> int:
        """How many turns it has told."""
        return sum(isinstance(report, Turn) for report in self.reports())

    @property
    def failures(self) -> list[tuple[ErrorKind, bool]]:
        """The kinds of failure it has told, and whether it was to try again."""
        return [(report.kind, report.retrying) for report in self.reports() if isinstance(report, Failure)]

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
    number = len(list(files.glob("*.out")))
    prompt, out = files / f"{number}.prompt", files / f"{number}.out"
    invocation = adapter.invoke(replace(brief, prompt_file=prompt, usage_file=out.with_suffix(".usage")))
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


def asking(start: Callable[..., Attempt], adapter: Adapter, program: Path, env: Mapping[str, str]) -> Ask:
    """How a test begins attempts of this CLI: `ask(prompt)`, with keys of a `Brief` or another `env` if need be."""

    def ask(prompt: str, *, env: Mapping[str, str] = env, **more: Any) -> Attempt:
        brief = Brief(prompt=prompt, attempt_session=str(uuid.uuid4()), program=str(program), env=env, **more)
        return start(adapter, brief, env=env)

    return ask


def printed_version(adapter: Adapter, program: Path, env: Mapping[str, str]) -> str:
    """The version in what it prints when it is asked for it."""
    argv = [program, *adapter.version]
    done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=60, check=True)
    return re.findall(r"\d+(?:\.\d+)+", done.stdout + done.stderr)[0]
