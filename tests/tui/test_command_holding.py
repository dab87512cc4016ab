from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from harness.lock import holder
from store import events as e
from tests.tui.building import Building
from tests.tui.conftest import Midwatch

VERBS = ["stop", "drain", "pause", "unpause"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_run_that_is_not_there_is_not_found(midwatch: Midwatch, home: Path, verb: str) -> None:
    assert midwatch(verb, "@").status == 6
    assert not home.exists()


@pytest.mark.parametrize("verb", VERBS)
def test_a_finished_run_is_refused_without_a_watch_being_started(
    midwatch: Midwatch, building: Building, verb: str
) -> None:
    run = building.finished()
    ran = midwatch(verb, run)
    assert (ran.status, ran.out) == (8, "")
    assert "has finished (completed)" in ran.err
    assert holder(building.places.watch_lock) is None


def test_an_agent_is_looked_for_before_anything_is_asked(midwatch: Midwatch, building: Building) -> None:
    run = building.launch()
    ran = midwatch("stop", run, "apy")
    assert ran.status == 6
    assert "did you mean 'api'?" in ran.err
    assert "no agent 'über'" in midwatch("stop", run, unicodedata.normalize("NFD", "über")).err
    building.start(run, "api")
    building.write(e.DelegationFailed(run=run, agent="api", detail="no"))
    ran = midwatch("pause", run, "api")
    assert ran.status == 8
    assert "is failed already" in ran.err
    assert holder(building.places.watch_lock) is None


def test_with_nothing_live_there_is_nothing_to_drain(midwatch: Midwatch, home: Path) -> None:
    ran = midwatch("drain")
    assert ran.status == 8
    assert not home.exists()


@pytest.mark.parametrize("words", ["stop", "drain --minutes -1", "drain --minutes nan", "drain @ x", "pause @ x y"])
def test_what_makes_no_sense_is_wrong_usage(midwatch: Midwatch, words: str) -> None:
    assert midwatch(*words.split()).status == 2
