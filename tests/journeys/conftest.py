"""The whole program with scripted agents: real commands, a real watch, real processes, a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.lock import holder
from store.audit import audit_run, run_ids
from store.database import open_reader
from store.paths import Places

AGENT = Path(__file__).with_name("agent.py")


def until(condition: Callable[[], Any], *, seconds: float = 20.0, what: str = "it") -> Any:
    """What `condition` gives once it is true; fails the test when it has not come true in time."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            pytest.fail(f"{what} has not come true within {seconds} s")
        time.sleep(0.02)


def agent(*script: str) -> list[str]:
    """The `run = …` of an agent that follows this script."""
    return [sys.executable, str(AGENT), *script]


def _toml(value: object) -> str:
    """A value as TOML has it, which is as JSON has it but for tables."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(inner)}' for key, inner in value.items())} }}"
    return json.dumps(value)


@dataclass(frozen=True, kw_only=True)
class Program:
    """midwatch as a person has it: a home, a project folder, and its commands."""

    home: Path
    project: Path

    @property
    def places(self) -> Places:
        return Places.of_environment({"MIDWATCH_HOME": str(self.home)})

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "MIDWATCH_HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", **more}

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        """The command, running."""
        return subprocess.Popen(
            [sys.executable, "-m", "tui", *words],
            cwd=self.project,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, expect: int | None = 0, **more: str) -> str:
        """What the command printed; `expect` is its exit status (`None`: any)."""
        done = self.start(*words, **more)
        out, err = done.communicate(timeout=60)
        assert "Traceback" not in out + err, err
        if expect is not None:
            assert done.returncode == expect, f"{words}: {done.returncode}, not {expect}\n{out}\n{err}"
        return out + err if expect not in (0, None) else out

    def json(self, *words: str, expect: int | None = 0) -> Any:
        """What the command printed as JSON."""
        done = self.start(*words, "--json")
        out, err = done.communicate(timeout=60)
        assert expect is None or done.returncode == expect, f"{words}: {done.returncode}\n{out}\n{err}"
        return json.loads(out)

    def workflow(self, name: str, *waves: Sequence[dict[str, Any]], top: str = "", on_failure: str = "") -> Path:
        """A workflow file in the person's folder, with one table per agent; `on_failure` is the first wave's."""
        lines = [top]
        for number, wave in enumerate(waves):
            lines.append(f'[[waves]]\nname = "w{number}"')
            if on_failure and number == 0:
                lines.append(f'on_failure = "{on_failure}"')
            for one in wave:
                table = {"cli": "command", "role": "developer", **one}
                lines.append("[[waves.agents]]")
                lines.extend(f"{key} = {_toml(value)}" for key, value in table.items())
        path = self.home / "workflows" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines))
        return path

    def launch(self, workflow: str, *words: str) -> str:
        """The id of a run launched in the background."""
        return str(self("run", workflow, *words, "--detach").strip().splitlines()[-1].split()[-1])

    def show(self, run: str) -> dict[str, Any]:
        found = self.json("show", run)
        assert isinstance(found, dict)
        return found

    def agent(self, run: str, name: str) -> dict[str, Any]:
        """One agent of `show --json`."""
        for wave in self.show(run)["waves"]:
            for one in wave["agents"]:
                if one["name"] == name:
                    return dict(one)
        raise KeyError(name)

    def until_state(self, run: str, name: str, *states: str, seconds: float = 20.0) -> dict[str, Any]:
        return dict(
            until(
                lambda: (found := self.agent(run, name))["state"] in states and found,
                seconds=seconds,
                what=f"{name} {states}",
            )
        )

    def until_finished(self, run: str, *, seconds: float = 30.0) -> dict[str, Any]:
        return dict(
            until(lambda: (found := self.show(run))["status"] == "finished" and found, seconds=seconds, what="finished")
        )

    def until_settled_or_gone(self, watch: subprocess.Popen[bytes]) -> None:
        """Returns when that watch has died, or nothing is live any more."""
        until(
            lambda: watch.poll() is not None or not [one for one in self.json("runs") if one["status"] != "finished"],
            seconds=30,
            what="an end",
        )

    def watch_pid(self) -> int:
        found = holder(self.places.watch_lock)
        assert found is not None and found.pid is not None
        return found.pid

    def processes_of(self, run: str) -> list[int]:
        """Every living process that carries a mark of this run."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    environment = (entry / "environ").read_bytes().split(b"\0")
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if f"MIDWATCH_RUN={run}".encode() in environment and state != "Z":
                    found.append(int(entry.name))
        return found

    def prove(self) -> None:
        """Folding the log gives the state, for every run."""
        connection = open_reader(self.places.record)
        try:
            assert [one for run in run_ids(connection) for one in audit_run(connection, run)] == []
        finally:
            connection.close()


@pytest.fixture
def midwatch(tmp_path: Path) -> Iterator[Program]:
    """A midwatch of its own; whatever it started is gone afterwards, and its record proves itself."""
    home, project = tmp_path / "midwatch", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    program = Program(home=home, project=project)
    yield program
    if program.places.record.exists():
        found = holder(program.places.watch_lock)
        if found is not None and found.pid is not None:
            os.kill(found.pid, signal.SIGTERM)
            until(lambda: holder(program.places.watch_lock) is None, what="the watch leaving")
        program.prove()
