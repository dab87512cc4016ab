"""Killed before or after any commit of a run, midwatch loses nothing, resurrects nothing and pays nothing twice."""

from __future__ import annotations

import random
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.crash.conftest import Night, faulty_watch

COMMITS = 45  # more than a night takes; points beyond its end are a plain kill after the run
SHORT = (1, 2, 3, 5, 8, 12, 16, 20, 24, 28)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "point" in metafunc.fixturenames:
        whole = metafunc.config.getoption("--run-long")
        numbers = range(1, COMMITS + 1) if whole else SHORT
        points = [(when, number) for number in numbers for when in ("before", "after")]
        chosen = points if whole else [point for index, point in enumerate(points) if index % 2 == point[1] % 2]
        metafunc.parametrize("point", chosen, ids=lambda point: f"{point[0]}-{point[1]}")


def test_killed_at_a_commit(night: Night, point: tuple[str, int], tmp_path: Path) -> None:
    when, number = point
    with faulty_watch(night.midwatch, when, number, tmp_path / "commits") as watch:
        launching = night.midwatch.start("run", "night", "--detach")
        launching.communicate(timeout=60)
        if launching.returncode == 0:
            night.midwatch.until_settled_or_gone(watch)
    night.morning()


def test_killed_at_random_moments(night: Night, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = 500 if request.config.getoption("--run-long") else 4
    chance = random.Random(2026)
    for _ in range(rounds):
        night.forget()
        with faulty_watch(night.midwatch, "count", 0, tmp_path / "commits") as watch:
            launching = night.midwatch.start("run", "night", "--detach")
            launching.communicate(timeout=60)
            with suppress(subprocess.TimeoutExpired):
                watch.wait(timeout=chance.uniform(0.0, 0.8))
            watch.kill()
        night.morning()
