"""Killed at random moments, the watch alone or everything at once."""

from __future__ import annotations

import random
import subprocess
from contextlib import suppress

import pytest

from tests.crash.conftest import Night, power_off

PIECES, ROUNDS = 20, 25
LONGEST_S = 1.2  # a night takes a little less


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "piece" in metafunc.fixturenames:
        metafunc.parametrize("piece", range(PIECES if metafunc.config.getoption("--run-long") else 1))


@pytest.mark.timeout(1800)  # a piece is minutes of work on a busy machine
def test_killed_at_random_moments(night: Night, piece: int, request: pytest.FixtureRequest) -> None:
    chance = random.Random(piece)
    cut_off, started = None, night.starts()
    for _ in range(ROUNDS if request.config.getoption("--run-long") else 4):
        with night.watch() as watch:
            night.settled(cut_off, started)
            night.forget()
            launching = night.midwatch.start("run", "night", "--detach")
            with suppress(subprocess.TimeoutExpired):
                launching.communicate(timeout=chance.uniform(0.0, LONGEST_S))
            with suppress(subprocess.TimeoutExpired):
                watch.wait(timeout=chance.uniform(0.0, LONGEST_S))
            assert watch.poll() is None, "it was there to be killed"
            cut_off = night.newest()
            if chance.random() < 0.2:
                power_off(watch)
            else:
                watch.kill()
            launching.communicate(timeout=60)
        night.quiet()
        started = night.starts()
    night.morning(before=cut_off)
