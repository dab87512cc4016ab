"""Processes known again by the mark in their environment, and only those."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from harness.survivors import MARK, end_survivors, survivors
from tests.harness.supervising import TREE, until

RECORD = uuid.uuid4().hex
MARKS = (f"{RECORD}/attempt-1", f"{RECORD}/attempt-2")
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"


class Processes(ExitStack):
    """Processes of a test, killed at its end."""

    def start(self, *argv: str, **env: str) -> subprocess.Popen[bytes]:
        process = self.enter_context(subprocess.Popen(argv, env={"PATH": "/usr/bin:/bin", **env}, stdout=-1))
        self.callback(process.kill)
        return process

    def sleeping(self, **env: str) -> int:
        process = self.start("sleep", "1000", **env)
        until(lambda: b"sleep" in open_command(process.pid), "the program")
        return process.pid


def open_command(pid: int) -> bytes:
    with open(f"/proc/{pid}/cmdline", "rb") as opened:  # noqa: PTH123
        return opened.read()


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes() as found:
        yield found


def pids(*marks: str, before: float | None = None) -> set[int]:
    return {one.pid for one in survivors(marks, before=before)}


def test_only_the_whole_variable_with_the_whole_mark_counts(processes: Processes) -> None:
    wanted = processes.sleeping(A="1", **{MARK: MARKS[0]}, Z="2")
    others = [
        processes.sleeping(**{MARK: f"{MARKS[0]}1"}),
        processes.sleeping(**{MARK: f"{RECORD}/attempt"}),
        processes.sleeping(**{f"X{MARK}": MARKS[0]}),
        processes.sleeping(OTHER=f"a {MARK}={MARKS[0]}"),
        processes.sleeping(OTHER=f"\n{MARK}={MARKS[0]}"),
        processes.sleeping(),
    ]
    assert pids(MARKS[0]) == {wanted}
    assert pids(*MARKS, "another/record") == {wanted}
    assert pids(MARKS[1]) == pids() == set()
    assert len(others) == 6


def test_one_that_started_after_the_end_is_somebody_elses(processes: Processes) -> None:
    began = time.time()
    found = processes.sleeping(**{MARK: MARKS[0]})
    assert pids(MARKS[0], before=began - 1) == set()
    assert pids(MARKS[0], before=time.time() + 1) == {found}


def test_never_oneself_nor_an_ancestor(processes: Processes) -> None:
    brother = processes.sleeping(**{MARK: MARKS[0]})
    script = f"from harness.survivors import survivors; print([one.pid for one in survivors([{MARKS[0]!r}])])"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {script!r}])"
    process = processes.start(sys.executable, "-c", inner, **{MARK: MARKS[0]})
    assert process.communicate()[0].split() == f"[{brother}]".encode().split()


def test_they_are_ended_gently_and_then_firmly_and_others_are_not(processes: Processes) -> None:
    gentle = processes.start("sleep", "1000", **{MARK: MARKS[0]})
    deaf = processes.start(sys.executable, "-c", DEAF, **{MARK: MARKS[1]})
    assert deaf.stdout is not None
    assert deaf.stdout.readline() == b"\n"
    other = processes.start("sleep", "1000", **{MARK: f"{RECORD}/attempt-3"})
    done = end_survivors(MARKS)
    assert {one.pid for one in done.ended} == {gentle.pid, deaf.pid}
    assert done.remain == ()
    assert (gentle.wait(), deaf.wait()) == (-15, -9)
    assert other.poll() is None


def test_what_a_survivor_leaves_is_found_too(processes: Processes) -> None:
    tree = processes.start(sys.executable, "-I", "-S", str(TREE), "plain", "session", **{MARK: MARKS[0]})
    assert tree.stdout is not None
    told = {int(tree.stdout.readline().split()[1]) for _ in range(3)}
    assert {one.pid for one in end_survivors(MARKS).ended} == told
    assert pids(*MARKS) == set()
