"""A home of its own for one measurement: workflows of many agents, launched as a person launches them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from harness.lock import holder
from store.paths import Places

ROOT = Path(__file__).parents[1]
_Found = TypeVar("_Found")


class Home:
    """midwatch in `folder`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.places = Places.of_environment({"MIDWATCH_HOME": str(folder)})
        self.environment = {**os.environ, "MIDWATCH_HOME": str(folder), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
        for name in ("PYTHONDONTWRITEBYTECODE", "TMUX", "COLUMNS", "LINES", "SSH_CONNECTION", "SSH_TTY"):
            self.environment.pop(name, None)

    def command(self, *words: str) -> list[str]:
        """midwatch with these arguments."""
        return [sys.executable, "-m", "tui", *words]

    def midwatch(self, *words: str) -> str:
        """What the command printed."""
        done = subprocess.run(
            self.command(*words),
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=300,
            check=True,
        )
        return done.stdout

    def launch(self, name: str, agents: int, argv: Sequence[str]) -> str:
        """The id of a run whose agents, all of one wave, run this and print reports."""
        lines = [f"[limits]\nparallel = {agents}\n[[waves]]\nname = 'work'"]
        for number in range(agents):
            lines.append(f"[[waves.agents]]\nname = 'agent-{number:03}'\nrole = 'developer'\ncli = 'command'")
            lines.append(f"output = 'reports'\nprompt = 'go'\nrun = {json.dumps(list(argv))}")
        path = self.folder / "workflows" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines))
        return self.midwatch("run", name, "--detach").split()[-1]

    def tally(self, run: str) -> dict[str, int]:
        """How many agents of the run are in which state."""
        found: dict[str, int] = json.loads(self.midwatch("show", run, "--json"))["tally"]
        return found

    def all_run(self, run: str, agents: int) -> None:
        """Returns when every agent of the run has a process."""
        until(lambda: self.marked(run) >= agents, seconds=120, what="every agent running", every=0.5)

    def marked(self, run: str) -> int:
        """How many living processes carry the mark of this run."""
        wanted, found = f"MIDWATCH_RUN={run}".encode(), 0
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    environment = (entry / "environ").read_bytes()
                    found += wanted in environment.split(b"\0")
        return found

    def watch_pid(self) -> int:
        """The pid of the watch that lives."""
        found = holder(self.places.watch_lock)
        if found is None or found.pid is None:
            raise RuntimeError("no watch lives")
        return found.pid

    def end_watch(self, number: int = signal.SIGTERM) -> None:
        """Ends the watch, if one lives, by this signal; returns when its lock is free."""
        found = holder(self.places.watch_lock)
        if found is not None and found.pid is not None:
            os.kill(found.pid, number)
        until(lambda: holder(self.places.watch_lock) is None, what="a free lock")


@contextmanager
def home(folder: Path) -> Iterator[Home]:
    """A home there; its watch is gone afterwards, and its agents with it."""
    made = Home(folder)
    try:
        yield made
    finally:
        made.end_watch()


def until(condition: Callable[[], _Found], *, what: str, seconds: float = 60.0, every: float = 0.01) -> _Found:
    """What the condition gives once that is true. Raises `TimeoutError`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(every)
    return found
