from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.database import open_reader
from store.model import Outcome, RunStatus
from tests.tui.scenes import HOUR, MINUTE, NOW, Scene
from tui.glance import Glance, look, midnight, spent_today
from tui.widgets.workflows import workflow_rows


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.building.connection.close()


def glance(scene: Scene, *, workflow: str | None = None, run: str | None = None, limit: int = 50) -> Glance:
    reader = open_reader(scene.places.record)
    try:
        return look(reader, watched=True, workflow=workflow, run=run, limit=limit)
    finally:
        reader.close()


def test_live_runs_come_first_then_the_newest(scene: Scene) -> None:
    old_live = scene.launch("/w/a.toml", 3 * HOUR)
    ended = scene.launch("/w/b.toml", 2 * HOUR)
    scene.finish(ended, Outcome.COMPLETED, HOUR, "done")
    new_live = scene.launch("/w/c.toml", HOUR)
    assert [run.id for run in glance(scene).runs] == [new_live, old_live, ended]


def test_a_short_sibling_that_ends_never_makes_a_live_workflow_look_completed(scene: Scene) -> None:
    """R4: the ending run may not set the status while another run of the workflow is live."""
    scene.launch("/w/ship.toml", 17 * MINUTE)
    sibling = scene.launch("/w/ship.toml", MINUTE)
    scene.finish(sibling, Outcome.COMPLETED, 0, "done")
    seen = glance(scene)
    (row,) = [row for row in workflow_rows(seen, ()) if row.path is not None]
    assert row.state is RunStatus.LIVE
    assert row.live == 1


def test_only_the_runs_of_the_workflow_asked_for_are_shown(scene: Scene) -> None:
    wanted = scene.launch("/w/a.toml", HOUR)
    scene.launch("/w/b.toml", HOUR)
    seen = glance(scene, workflow="/w/a.toml")
    assert [run.id for run in seen.runs] == [wanted]
    assert seen.run is not None
    assert seen.run.id == wanted
    assert seen.live == 2


def test_the_run_asked_for_is_loaded_whole_and_one_that_is_gone_is_none(scene: Scene) -> None:
    run = scene.launch("/w/a.toml", HOUR)
    scene.launch("/w/a.toml", MINUTE)
    loaded = glance(scene, run=run).run
    assert loaded is not None
    assert set(loaded.delegations) == {"api", "ui", "review", "tests", "notes"}
    assert glance(scene, run="evicted").run is None


def test_of_many_ended_runs_only_so_many_are_read(scene: Scene) -> None:
    for _ in range(5):
        scene.finish(scene.launch("/w/a.toml", HOUR), Outcome.COMPLETED, 0, "done")
    assert len(glance(scene, limit=3).runs) == 3


def test_without_a_record_everything_is_empty() -> None:
    seen = look(None, watched=False, workflow=None, run=None, limit=10)
    assert (seen.runs, seen.run, seen.live) == ((), None, 0)
    assert spent_today(None, NOW).spent is None


def test_today_begins_at_midnight_here(scene: Scene) -> None:
    run = scene.launch("/w/a.toml", 20 * HOUR)
    scene.start(run, "api", 20 * HOUR)
    scene.use(run, "api", 1, 100, 13 * HOUR)
    scene.use(run, "api", 1, 25, HOUR)
    reader = open_reader(scene.places.record)
    assert spent_today(reader, NOW).spent == 250_000_000
    reader.close()
    assert midnight(NOW) == NOW - 12 * HOUR
    assert midnight(NOW, 7) == NOW - 12 * HOUR - 7 * 24 * HOUR
