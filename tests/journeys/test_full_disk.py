"""A disk that is really full: what stops still stops, what is to start waits, and nothing fails of it (O9, R14)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.lock import holder
from harness.scribe import reserve_of
from tests.journeys.conftest import Program, agent, until

MIB = 1 << 20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Program]:
    """A midwatch whose home lies on a disk of 24 MiB."""
    probe = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"]
    if os.geteuid() != 0 or subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount the small disk that is to be filled")
    home, project = tmp_path / "midwatch", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(home)], check=True)
    program = Program(home=home, project=project)
    yield program
    (home / "filler").unlink(missing_ok=True)
    found = holder(program.places.watch_lock)
    if found is not None and found.pid is not None:
        os.kill(found.pid, signal.SIGTERM)
        until(lambda: holder(program.places.watch_lock) is None, what="the watch leaving")
    program.prove()
    subprocess.run(["umount", "--lazy", str(home)], check=True)


def fill(program: Program) -> Path:
    """A file that takes whatever room there is."""
    filler = program.home / "filler"
    with filler.open("ab", buffering=0) as opened:
        for size in (65536, 512):
            try:
                while True:
                    opened.write(b"\0" * size)
            except OSError:
                continue
    return filler


def test_a_stop_has_room(small: Program) -> None:
    small.workflow("long", [{"name": name, "run": agent("sleep:300")} for name in ("a", "b")])
    run = small.launch("long")
    for name in ("a", "b"):
        small.until_state(run, name, "running")
    filler = fill(small)
    assert small.json("stop", run, "a")["status"] == "stopped"
    filler.unlink()
    until(lambda: small("pause", run) and reserve_of(small.places.record).exists(), what="a reserve again")
    fill(small)
    assert small.json("stop", run)["status"] == "finished"
    assert not small.processes_of(run)


def test_an_answer_and_the_next_wave_wait_for_room(small: Program) -> None:
    gate = small.project / "gate"
    script = f"""
import json, pathlib, time
while not pathlib.Path({str(gate)!r}).exists():
    time.sleep(0.01)
print(json.dumps({{"report": "text", "text": "y" * 3_000}}))
"""
    small.workflow(
        "waits",
        [{"name": "a", "output": "reports", "prompt": "go", "run": [sys.executable, "-c", script]}],
        [{"name": "b", "run": agent("echo"), "prompt": "{{ agents.a.output }}"}],
    )
    run = small.launch("waits")
    small.until_state(run, "a", "running")
    filler = fill(small)
    gate.touch()
    until(lambda: not small.processes_of(run), what="the end of a")
    until(lambda: (fill(small), small.agent(run, "a"))[1]["state"] in ("running", "review"), what="a waiting")
    filler.unlink()
    assert small.until_finished(run)["outcome"] == "completed"
    assert "yyy" in small("logs", run, "b")


def test_a_watch_that_is_told_to_end_leaves_and_the_next_one_says_why_it_waits(small: Program) -> None:
    small.workflow("long", [{"name": "a", "run": agent("sleep:300")}])
    run = small.launch("long")
    small.until_state(run, "a", "running")
    watch = small.watch_pid()
    reserve_of(small.places.record).unlink()
    fill(small)
    os.kill(watch, signal.SIGTERM)
    until(lambda: not Path(f"/proc/{watch}/cmdline").exists() or not _command(watch), seconds=15, what="its end")
    assert not small.processes_of(run)
    if small.show(run)["status"] == "unsettled":
        reserve_of(small.places.record).unlink(missing_ok=True)
        filler = fill(small)
        assert "full" in small("recover", expect=7)
        filler.unlink()
    until(lambda: small("recover", expect=None) and small.show(run)["status"] == "finished", what="a settled run")
    assert small.agent(run, "a")["reason"] == "interrupted"


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
