"""A night that is cut off somewhere, and what must hold in the morning wherever it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent, midwatch, until

__all__ = ["midwatch"]

AGENTS = ("a", "b", "c", "d")
COST = 0.5


@dataclass
class Night:
    """Three waves of report agents. Each notes its start in a file, spends the same and says its name."""

    midwatch: Program

    def lay(self) -> None:
        self.midwatch.workflow(
            "night",
            [self._agent("a"), self._agent("b")],
            [self._agent("c")],
            [self._agent("d")],
        )

    def _agent(self, name: str) -> dict[str, Any]:
        usage = json.dumps({"report": "usage", "id": "r", "model": "m", "input": 7, "cost_usd": COST})
        script = [f"note:{self._notes(name)}", f"report:{usage}", 'report:{"report":"turn"}', "sleep:0.05"]
        return {
            "name": name,
            "output": "reports",
            "prompt": "go",
            "run": agent(*script, "report:" + json.dumps({"report": "text", "text": name})),
        }

    def _notes(self, name: str) -> Path:
        return self.midwatch.project / f"{name}.starts"

    def forget(self) -> None:
        """Lets the next night begin with clean notes."""
        for name in AGENTS:
            self._notes(name).unlink(missing_ok=True)

    def starts(self, name: str) -> int:
        notes = self._notes(name)
        return len(notes.read_text().splitlines()) if notes.exists() else 0

    def run(self) -> dict[str, Any] | None:
        runs = self.midwatch.json("runs")
        return self.midwatch.show(runs[0]["run"]) if runs else None

    def done(self) -> set[str]:
        run = self.run()
        return (
            set()
            if run is None
            else {one["name"] for wave in run["waves"] for one in wave["agents"] if one["state"] == "done"}
        )

    def morning(self) -> None:
        """What must hold after the watch was killed anywhere."""
        before = self.done()
        spent = self._spent()
        run = self.run()
        if run is not None:
            until(lambda: not self.midwatch.processes_of(run["run"]), seconds=4, what="every process gone")
        started = {name: self.starts(name) for name in AGENTS}
        offered = self.midwatch.json("recover")
        self.midwatch.prove()
        if run is None:
            assert offered == [] and not any(started.values())
            return
        settled = self.midwatch.show(run["run"])
        assert settled["status"] == "finished"
        assert before <= self.done(), "what was recorded done is done"
        assert self._spent() >= spent, "what was spent stays counted"
        assert {name: self.starts(name) for name in AGENTS} == started, "nothing starts by itself"
        assert all(count <= 1 for count in started.values()), "nothing ran twice"
        assert settled["cost"]["usd"] is None or settled["cost"]["usd"] <= COST * sum(started.values())
        assert self.midwatch.json("recover") == offered, "restoring twice changes nothing"
        self._take_up(run["run"], offered, started)

    def _take_up(self, run: str, offered: list[dict[str, Any]], started: dict[str, int]) -> None:
        """Resumes what was cut off; nothing that was done runs again."""
        done = self.done()
        for name in offered[0]["interrupted"] if offered else ():
            resumed = self.midwatch.json("resume", run, name, "--continue")["run"]
            self.midwatch.until_finished(resumed)
        for name in done:
            assert self.starts(name) == started[name], f"{name} was done and ran again"

    def _spent(self) -> float:
        run = self.run()
        return 0.0 if run is None else run["cost"]["usd"] or 0.0


@pytest.fixture
def night(midwatch: Program) -> Iterator[Night]:
    found = Night(midwatch)
    found.lay()
    yield found


@contextmanager
def faulty_watch(midwatch: Program, when: str, number: int, file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A watch that kills itself there, holding the lock and ready."""
    midwatch.places.prepare()
    watch = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.crash.faulty_watch", when, str(number), str(file)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "MIDWATCH_HOME": str(midwatch.home), "PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
    )
    try:
        until(lambda: watch.poll() is not None or _ready(midwatch, watch.pid), what="the watch being ready or dead")
        yield watch
    finally:
        if watch.poll() is None:
            watch.send_signal(signal.SIGTERM)
        watch.wait(timeout=10)


def _ready(midwatch: Program, pid: int) -> bool:
    found = holder(midwatch.places.watch_lock)
    return found is not None and found.pid == pid and bool(found.facts.get("ready"))
