from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.database import open_reader
from store.model import Outcome
from store.paths import Places
from tests.tui.returning import cut_off, quiet_evening
from tests.tui.scenes import HOUR, MINUTE, NOW, Scene
from tui.away import Away, Looked, keep_looked, last_looked, sentence, while_away


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of_environment({"MIDWATCH_HOME": str(tmp_path)})


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.building.connection.close()


def away_since(places: Places, moment: int) -> Away:
    reader = open_reader(places.record)
    try:
        return while_away(reader, moment)
    finally:
        reader.close()


def test_a_look_is_kept_privately_and_read_again(places: Places) -> None:
    assert last_looked(places) is None
    keep_looked(places, Looked(seq=7, at=NOW))
    assert last_looked(places) == Looked(seq=7, at=NOW)
    (file,) = places.state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_later_of_two_terminals_holds(places: Places) -> None:
    keep_looked(places, Looked(seq=9, at=NOW))
    keep_looked(places, Looked(seq=7, at=NOW - HOUR))
    assert last_looked(places) == Looked(seq=9, at=NOW)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"seq": 1, "at": null}', "\x00"])
def test_a_file_that_is_not_whole_is_no_look(places: Places, content: str) -> None:
    places.prepare()
    (places.state / "looked.json").write_text(content)
    assert last_looked(places) is None


def test_only_what_ended_since_is_told_worst_first_with_its_cost(tmp_path: Path) -> None:
    scene = quiet_evening(tmp_path)
    away = away_since(scene.places, NOW - 10 * HOUR)
    assert sentence(away) == (
        "While you were away: 1 not accepted, 1 blocked, 1 with failures, 2 completed, $3.51+; 2 dead letters"
    )
    assert [run.outcome for run in away.waiting] == [Outcome.NOT_ACCEPTED, Outcome.BLOCKED]
    assert "nightly-audit" not in {run.name for run in away_since(scene.places, NOW - 7 * HOUR).ended}


def test_dead_letters_from_before_are_no_news(tmp_path: Path) -> None:
    scene = quiet_evening(tmp_path)
    later = away_since(scene.places, NOW)
    assert (later.letters, later.new_letters, later.worth_a_line) == (2, 0, False)
    assert away_since(scene.places, NOW - 6 * HOUR - 1).new_letters == 2


def test_a_run_that_was_cut_off_is_told_as_that_and_not_as_stopped(tmp_path: Path) -> None:
    scene = cut_off(tmp_path)
    done = scene.launch("/w/docs.toml", HOUR)
    scene.finish(done, Outcome.COMPLETED, MINUTE, "done")
    assert sentence(away_since(scene.places, NOW - HOUR)) == "While you were away: 1 completed; 2 cut off"


def test_a_live_run_has_not_ended(scene: Scene) -> None:
    scene.launch("/w/docs.toml", HOUR)
    assert away_since(scene.places, 0).ended == ()
