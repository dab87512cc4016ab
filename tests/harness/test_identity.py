"""Who a process is, and that a signal reaches nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness.identity import Identity, identity_of, is_alive, signal_if_same, this_boot


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "1000"]) as started:
        yield started
        started.kill()


def identity(process: subprocess.Popen[bytes]) -> Identity:
    found = identity_of(process.pid)
    assert found is not None
    return found


def test_a_process_has_one_identity_as_long_as_it_lives(process: subprocess.Popen[bytes]) -> None:
    found = identity(process)
    assert (found, found.pid, found.boot) == (identity(process), process.pid, this_boot())
    assert is_alive(found)


def test_one_that_has_ended_is_not_alive_even_while_nobody_has_waited_for_it(process: subprocess.Popen[bytes]) -> None:
    found = identity(process)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(found)
    assert identity_of(process.pid) is None
    process.wait()
    assert identity_of(process.pid) is None
    assert not signal_if_same(found, signal.SIGTERM)


def test_the_very_process_is_signalled(process: subprocess.Popen[bytes]) -> None:
    assert signal_if_same(identity(process), signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


@pytest.mark.parametrize("other", [{"start_ticks": 1}, {"boot": "another"}, {"namespace": 1}])
def test_one_that_only_has_its_number_is_left_alone(
    process: subprocess.Popen[bytes], other: dict[str, int | str]
) -> None:
    found = replace(identity(process), **other)  # type: ignore[arg-type]
    assert not is_alive(found)
    assert not signal_if_same(found, signal.SIGKILL)
    assert is_alive(identity(process))


def test_it_is_no_less_sure_where_a_process_cannot_be_held(
    process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(pid: int, flags: int = 0) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refuses)
    found = identity(process)
    assert not signal_if_same(replace(found, start_ticks=1), signal.SIGKILL)
    assert signal_if_same(found, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not signal_if_same(found, signal.SIGKILL)
