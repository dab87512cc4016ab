"""A night that is cut off somewhere, and what must hold in the morning wherever it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.lock import holder
from harness.process_table import process_table
from store.database import open_reader
from store.model import State
from store.run import Run
from store.views import load_run, run_lines
from tests.journeys.conftest import Program, agent, midwatch, until

__all__ = ["midwatch"]

AGENTS = ("a", "b", "c", "d")
COST = 0.5
NANO = 1_000_000_000
GONE_S = 4.0  # from the death of the watch until nothing of its runs is left, on a busy machine
ROOT = Path(__file__).parents[2]


@dataclass
class Night:
    """Three waves of report agents. Each notes its start in a file, spends the same and says its name."""

    midwatch: Program
    log: Path

    def lay(self, *, top: str = "", hold: bool = False) -> None:
        """Writes the workflow; with `hold` its first agents go on until `release`, after they have spent."""
        first = ("wait:" + str(self._gate),) if hold else ()
        self.midwatch.workflow(
            "night",
            [self._agent("a", *first), self._agent("b", *first)],
            [self._agent("c")],
            [self._agent("d")],
            top=top,
        )

    def _agent(self, name: str, *then: str) -> dict[str, Any]:
        usage = json.dumps({"report": "usage", "id": "r", "model": "m", "input": 7, "cost_usd": COST})
        script = [f"note:{self._notes(name)}", f"report:{usage}", 'report:{"report":"turn"}', *then, "sleep:0.05"]
        return {
            "name": name,
            "output": "reports",
            "prompt": "go",
            "run": agent(*script, "report:" + json.dumps({"report": "text", "text": name})),
        }

    @property
    def _gate(self) -> Path:
        return self.midwatch.project / "gate"

    def _notes(self, name: str) -> Path:
        return self.midwatch.project / f"{name}.starts"

    def release(self) -> None:
        """Lets the agents that were held go on."""
        self._gate.touch()

    def forget(self) -> None:
        """Lets the next night begin with clean notes."""
        for name in AGENTS:
            self._notes(name).unlink(missing_ok=True)

    def starts(self) -> dict[str, int]:
        """How often each agent was started."""
        notes = {name: self._notes(name) for name in AGENTS}
        return {name: len(one.read_text().splitlines()) if one.exists() else 0 for name, one in notes.items()}

    def newest(self) -> Run | None:
        """The last run that was launched, as the record has it."""
        if not self.midwatch.places.record.exists():
            return None
        with suppress(Exception), _reading(self.midwatch) as reader:
            lines = run_lines(reader, limit=1)
            return load_run(reader, lines[0].id) if lines else None
        return None

    def until_spent(self, *names: str) -> Run:
        """Returns when the record has what each of these has spent: they are in mid-flight."""

        def spent() -> Run | None:
            run = self.newest()
            return run if run is not None and all(_cost(run, name) for name in names) else None

        found: Run = until(spent, what=f"{names} at work")
        return found

    def holding_journals(self) -> list[int]:
        """Whoever has a journal open: the watch, and keepers."""
        found, journals = [], str(self.midwatch.places.journals)
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and any(
                    os.readlink(one).startswith(journals)  # noqa: PTH115  # of many, and none is followed
                    for one in (entry / "fd").iterdir()
                ):
                    found.append(int(entry.name))
        return found

    def morning(
        self, *, before: Run | None = None, started: Mapping[str, int] | None = None, take_up: bool = True
    ) -> None:
        """What must hold after a kill anywhere. `before` is the run as the record had it at the kill.

        `started`: how often each agent had been started, when another watch may have begun to settle since.

        With `take_up`, also what must hold when a person then asks again, and takes up what was cut off.
        """
        self.quiet()
        started = self.starts() if started is None else started
        offered = self.midwatch.json("recover")
        settled = self.settled(before, started)
        if settled is None:
            assert offered == []
        elif take_up:
            shown = self.midwatch.show(settled.id)["cost"]["usd"]
            assert (shown or 0) == sum(_cost(settled, name) for name in AGENTS) / NANO
            self.end_watch()
            assert self.midwatch.json("recover") == offered, "restoring twice changes nothing"
            self._take_up(settled, [name for one in offered if one["run"] == settled.id for name in one["interrupted"]])
            self.midwatch.prove()

    def quiet(self) -> None:
        """Without anyone's doing, no process of the run is left, nor one that holds its journals (R19)."""
        self._let_another_watch_finish()
        run = self.newest()
        if holder(self.midwatch.places.watch_lock) is None:
            until(lambda: not self.holding_journals(), seconds=GONE_S, what="every keeper gone")
        if run is not None:
            until(lambda: not self.midwatch.processes_of(run.id), seconds=GONE_S, what="every process gone")

    def settled(self, before: Run | None, started: Mapping[str, int]) -> Run | None:
        """The run once another watch has started, which settled it as it must; `None` when none was launched."""
        run = self.newest()
        if run is None:
            assert not any(started.values())
            return None
        before = before if before is not None and before.id == run.id else run
        assert not self.midwatch.processes_of(run.id), "gone before anything is said to be interrupted"
        self.midwatch.prove()
        assert not run.live and all(one.final for one in run.delegations.values())
        assert _done(before) <= _done(run), "what was recorded done is done"
        assert self.starts() == started, "nothing starts by itself"
        assert all(count <= 1 for count in started.values()), "nothing ran twice"
        self._what_was_spent(before, run)
        return run

    def _let_another_watch_finish(self) -> None:
        """A launch whose watch dies before it has taken the request starts another, which is none of our kills."""
        found = holder(self.midwatch.places.watch_lock)
        if found is not None:
            until(lambda: (run := self.newest()) is None or not run.live, seconds=30, what="the other watch's run")

    def _what_was_spent(self, before: Run, settled: Run) -> None:
        """Never less than was recorded, never twice: exactly what the journals say was spent (U4, E11)."""
        for name in AGENTS:
            journal = self.midwatch.places.journal(settled.id, name, 1, "out")
            told = journal.exists() and b'"cost_usd"' in journal.read_bytes().rpartition(b"\n")[0]
            assert _cost(settled, name) >= _cost(before, name), f"what {name} had spent stays counted"
            assert _cost(settled, name) == (COST * NANO if told else 0), f"what {name} spent is counted once"

    def _take_up(self, settled: Run, interrupted: Sequence[str]) -> None:
        """Resumes what was cut off; nothing that was done runs again, and the first run's cost stays what it was."""
        started, done = self.starts(), _done(settled)
        self.release()
        for name in interrupted:
            resumed = self.midwatch.json("resume", settled.id, name, "--continue")["run"]
            assert self.midwatch.until_finished(resumed)["outcome"] == "completed"
        assert {name: self.starts()[name] for name in done} == {name: started[name] for name in done}
        with _reading(self.midwatch) as reader:
            again = load_run(reader, settled.id)
        assert all(_cost(again, name) == _cost(settled, name) for name in AGENTS), "a resume is counted apart"

    def end_watch(self) -> None:
        """Ends the watch that lives, if one does, so that the next is ours."""
        found = holder(self.midwatch.places.watch_lock)
        if found is not None and found.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(found.pid, signal.SIGTERM)
        until(lambda: holder(self.midwatch.places.watch_lock) is None, what="a free lock")

    @contextmanager
    def watch(self, whose: str = "watch", number: int = 0) -> Iterator[subprocess.Popen[bytes]]:
        """A watch that dies at that point of its own, or whose keepers do; ready, or dead already."""
        self.end_watch()
        self.midwatch.places.prepare()
        watch = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.crash.faulty_watch", whose, str(number), str(self.log)],
            cwd=ROOT,
            env={**os.environ, "MIDWATCH_HOME": str(self.midwatch.home), "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        try:
            until(lambda: watch.poll() is not None or self._ready(watch.pid), what="the watch being ready or dead")
            assert watch.poll() in (None, -signal.SIGKILL), "it left without having been killed"
            yield watch
        finally:
            if watch.poll() is None:
                watch.send_signal(signal.SIGTERM)
            watch.wait(timeout=10)

    def _ready(self, pid: int) -> bool:
        found = holder(self.midwatch.places.watch_lock)
        return found is not None and found.pid == pid and bool(found.facts.get("ready"))

    def points(self) -> list[str]:
        """The points that were passed, in order, by whoever noted them."""
        return self.log.read_text().splitlines() if self.log.exists() else []


def power_off(watch: subprocess.Popen[bytes]) -> None:
    """Everything dies at once: the watch, its zygote, the keepers and their agents."""
    table = process_table()
    tree = [watch.pid]
    for pid in tree:
        tree += [one.pid for one in table.values() if one.parent == pid]
    for pid in tree:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    watch.wait(timeout=10)


@contextmanager
def _reading(midwatch: Program) -> Iterator[Any]:
    reader = open_reader(midwatch.places.record)
    try:
        yield reader
    finally:
        reader.close()


def _done(run: Run) -> set[str]:
    return {name for name, one in run.delegations.items() if one.state is State.DONE}


def _cost(run: Run, name: str) -> int:
    found = run.delegations.get(name)
    return 0 if found is None else found.totals.cost or 0


@pytest.fixture
def night(midwatch: Program, tmp_path: Path) -> Iterator[Night]:
    found = Night(midwatch, tmp_path / "points")
    found.lay()
    yield found
    found.end_watch()
    until(lambda: not found.holding_journals(), seconds=GONE_S, what="no keeper left behind")
