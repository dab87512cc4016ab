"""Whether the watch outlives the login, with stand-ins for systemd's programs: no real one was seen (R18)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.lock import holder
from tests.journeys.conftest import Program, agent

ROOT = Path(__file__).parents[2]
SESSION = "0::/user.slice/user-0.slice/session-3.scope\n"


@dataclass(frozen=True, kw_only=True)
class Systemd:
    """A folder with stand-ins, and midwatch started among them."""

    midwatch: Program
    folder: Path

    def program(self, name: str, script: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/{name}.asked\n{script}\n')
        path.chmod(0o755)

    def asked(self, name: str) -> list[str]:
        path = self.folder / f"{name}.asked"
        return path.read_text().splitlines() if path.exists() else []

    def __call__(self, *words: str) -> tuple[str, str]:
        """What the command printed on standard output and error; it must leave with 0."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.journeys.under_systemd", str(self.folder), *words],
            cwd=self.midwatch.project,
            env=self.midwatch.environment(
                PATH=f"{self.folder}/bin:{os.environ['PATH']}", PYTHONPATH=str(ROOT), XDG_RUNTIME_DIR=str(self.folder)
            ),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done
        return done.stdout, done.stderr


@pytest.fixture
def systemd(midwatch: Program, tmp_path: Path) -> Systemd:
    """One that runs, with a login whose session is an ordinary scope."""
    folder = tmp_path / "stand-ins"
    for name in ("bin", "systemd", "proc", "linger"):
        (folder / name).mkdir(parents=True)
    (folder / "proc" / "cgroup").write_text(SESSION)
    found = Systemd(midwatch=midwatch, folder=folder)
    found.program("systemctl", "echo 1min 30s")
    found.program("busctl", "echo b true")
    found.program("loginctl", "echo no")
    found.program("systemd-run", "exit 1")
    midwatch.workflow("one", [{"name": "a", "run": agent("print:x")}])
    return found


def test_with_lingering_it_is_started_in_a_scope_of_the_users_manager(systemd: Systemd) -> None:
    systemd.program("loginctl", "echo yes")
    systemd.program("systemd-run", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    systemd("run", "one")
    (asked,) = systemd.asked("systemd-run")
    assert asked.startswith("--user --scope --quiet --collect -p OOMPolicy=continue -- ")
    assert asked.endswith("-m harness") and holder(systemd.midwatch.places.watch_lock) is not None


def test_an_older_systemd_gets_less_and_a_broken_one_is_done_without(systemd: Systemd) -> None:
    systemd.program("loginctl", "echo yes")
    _, told = systemd("run", "one")
    assert [("OOMPolicy" in line) for line in systemd.asked("systemd-run")] == [True, False]
    assert "midwatch: the watch does not outlive this login" in told


@pytest.mark.parametrize(("kills", "survives"), [("true", False), ("false", True)])
def test_without_lingering_it_has_a_session_of_its_own_and_logind_decides(
    systemd: Systemd, kills: str, survives: bool
) -> None:
    systemd.program("busctl", f"echo b {kills}")
    out, told = systemd("run", "one")
    assert systemd.asked("systemd-run") == [] and "completed" in out
    (line,) = [line for line in told.splitlines() if "login" in line]
    assert ("does not outlive this login" in line) is not survives
    assert ("loginctl enable-linger" in line) is not survives
    status = json.loads(systemd("watch", "--status", "--json")[0])
    assert status["survives_logout"] is survives and status["grace_s"] in (90.0, 10.0)  # in a container, its own
    assert ("loginctl enable-linger" in systemd("doctor")[0]) is not survives
    _, told = systemd("run", "one")
    assert "login" not in told, "said when the watch is started, not each time"


def test_a_drain_says_when_the_system_would_not_wait_so_long(systemd: Systemd) -> None:
    systemd.program("systemctl", "echo 5s")
    systemd.midwatch.workflow("long", [{"name": "a", "run": agent("sleep:300")}])
    systemd("run", "long", "--detach")
    _, told = systemd("drain", "--minutes", "20")
    assert "this system waits 5s (the unit session-3.scope), not 20 minutes" in told
    assert "waits 5s" in json.loads(systemd("drain", "--minutes", "1", "--json")[0])["falls_short"]
    assert systemd("drain", "--minutes", "0.05")[1] == ""
    assert "waits 5s" in systemd("doctor")[0]
