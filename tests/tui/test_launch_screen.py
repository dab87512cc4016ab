from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from harness.errors import WatchError
from harness.requests import Answer
from harness.trust import is_trusted, trust
from store.paths import Places
from tests.tui.driving import drive, main_of, press, screen_on, shown, until, write_workflow
from tests.tui.scenes import SECOND, Scene
from tui.screens.launch import Launch

WORKFLOW = """\
description = "Build a feature, then have it checked"

[inputs.feature]
prompt = "What should be built? [bold]not markup[/]"
multiline = true

[inputs.depth]
prompt = "How thorough?"
choices = ["quick", "deep"]

[inputs.branch]
prompt = "On which branch?"
default = "main"

[limits]
budget_usd = 20.0

[[waves]]
name = "build"
on_failure = "stop"
[[waves.agents]]
name = "api"
role = "developer"
cli = "claude"
prompt = "Build {{ inputs.feature }}"

[[waves]]
name = "check"
[[waves.agents]]
name = "tests"
role = "tester"
cli = "command"
run = ["pytest", "-q"]
"""

ONE_AGENT = """\
[[waves]]
name = "one"
[[waves.agents]]
name = "a"
role = "developer"
cli = "command"
run = ["true"]
"""

Launches = list[tuple[str, dict[str, str]]]


@pytest.fixture
def places(home: Path) -> Places:
    """A record with nothing in it and one workflow."""
    found = Places.of_environment({"MIDWATCH_HOME": str(home)})
    write_workflow(found, "ship", WORKFLOW)
    return found


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch, home: Path) -> Launches:
    """What the watch was asked to launch; it launches it."""
    asked: Launches = []

    def launch(places: Places, workflow: str, inputs: dict[str, str], **_: object) -> Answer:
        asked.append((workflow, dict(inputs)))
        return Answer(request="r", facts={"run": Scene(home).launch(workflow, SECOND)})

    monkeypatch.setattr("harness.requests.launch", launch)
    return asked


async def opened(pilot: Pilot[int]) -> Launch:
    """The launch screen of the first workflow, its file read."""
    await press(pilot, "down", "n")
    screen = pilot.app.screen
    assert isinstance(screen, Launch)
    await until(pilot, lambda: "Build a feature" in shown(pilot) and bool(pilot.app.focused))
    return screen


def drafts(places: Places) -> list[Path]:
    return sorted((places.state / "drafts").glob("*.json"))


def test_what_is_asked_for_and_what_would_be_done_stand_side_by_side(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        text = shown(pilot)
        for words in (
            "What should be built? [bold]not markup[/]",
            "( ) quick",
            "On which branch?",
            "1 build  (a failure here stops the run)",
            "tester (has a vote)",
            "pytest -q",
            "at most $20.00 in all",
        ):
            assert words in text, words

    drive(screen_on(places), script)


def test_a_program_that_is_not_here_is_said_before_the_launch(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        text = " ".join(shown(pilot).split())
        assert "claude is not on this PATH" in text and "pytest is not on this PATH" in text

    drive(screen_on(places), script)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (50, 14)], ids=str)
def test_a_workflow_is_filled_in_and_launched_by_keys_alone(
    places: Places, launches: Launches, size: tuple[int, int]
) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=totals", "enter", "=that add up", "tab", "down", "down", "tab", "tab", "enter")
        await until(pilot, lambda: pilot.app.screen is main_of(pilot))
        await until(pilot, lambda: "was launched" in shown(pilot))
        assert "waits for build" in shown(pilot)

    drive(screen_on(places), script, size=size)
    path = str((places.workflows / "ship.toml").resolve())
    assert launches == [(path, {"feature": "totals\nthat add up", "depth": "deep", "branch": "main"})]
    assert drafts(places) == []


def test_what_is_missing_is_a_sentence_and_the_fields_stay(places: Places, launches: Launches) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "=totals", "f5")
        await until(pilot, lambda: "needs the input 'depth'" in shown(pilot))
        assert screen.values()["feature"] == "totals"
        assert pilot.app.focused is screen._fields["depth"]

    drive(screen_on(places), script)
    assert launches == []


def test_a_watch_that_does_not_answer_is_a_sentence_and_the_fields_stay(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launch(*_: object, **__: object) -> Answer:
        raise WatchError("the watch could not start")

    monkeypatch.setattr("harness.requests.launch", launch)

    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "=totals", "tab", "down", "f5")
        await until(pilot, lambda: "the watch could not start" in shown(pilot))
        assert screen.values() == {"feature": "totals", "depth": "quick", "branch": "main"}

    drive(screen_on(places), script)
    assert len(drafts(places)) == 1


def test_what_was_typed_is_there_again_after_the_screen_was_left_or_died(places: Places) -> None:
    async def leaves(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=totals", "escape")

    async def dies(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        assert screen.values()["feature"] == "totals"
        await press(pilot, "=new ")
        (draft,) = drafts(places)
        await until(pilot, lambda: "new totals" in draft.read_text())
        pilot.app.exit(1)

    async def returns(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        assert screen.values()["feature"] == "new totals"
        assert "typed here before is back" in shown(pilot)

    for script in (leaves, dies, returns):
        drive(screen_on(places), script)


def test_a_draft_is_written_while_one_types_and_only_its_owner_can_read_it(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=totals")
        await until(pilot, lambda: bool(drafts(places)))
        (draft,) = drafts(places)
        assert json.loads(draft.read_text())["inputs"]["feature"].startswith("t")
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600
        assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700

    drive(screen_on(places), script)


def test_a_broken_draft_costs_nothing_but_itself(places: Places) -> None:
    async def breaks(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=totals", "escape")

    drive(screen_on(places), breaks)
    (draft,) = drafts(places)
    draft.write_text('{"workflow": "')

    async def script(pilot: Pilot[int]) -> None:
        assert (await opened(pilot)).values()["feature"] == ""

    drive(screen_on(places), script)


def test_a_project_that_is_not_trusted_is_asked_about_and_trusted_by_launching(
    places: Places, launches: Launches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "shop"
    (project / ".midwatch").mkdir(parents=True)
    (project / ".midwatch" / "deploy.toml").write_text(WORKFLOW.replace("[inputs.depth]", "[inputs.how]"))
    (places.workflows / "ship.toml").unlink()
    monkeypatch.chdir(project)

    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        text = " ".join(shown(pilot).split())
        assert "which you have not trusted" in text
        assert "trust the project and launch" in text
        await press(pilot, "escape")
        assert not is_trusted(places, project)
        await press(pilot, "n")
        await until(pilot, lambda: "trust the project" in shown(pilot) and bool(pilot.app.focused))
        await press(pilot, "=x", "tab", "down", "f5")
        await until(pilot, lambda: "was launched" in shown(pilot))

    drive(screen_on(places), script)
    assert is_trusted(places, project)
    assert len(launches) == 1


def test_an_agent_cannot_trust_a_project_through_the_screen(
    places: Places, launches: Launches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "shop"
    (project / ".midwatch").mkdir(parents=True)
    (project / ".midwatch" / "deploy.toml").write_text(WORKFLOW)
    (places.workflows / "ship.toml").unlink()
    monkeypatch.chdir(project)
    monkeypatch.setenv("MIDWATCH_ATTEMPT", "record/attempt")

    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=x", "tab", "down", "f5")
        await until(pilot, lambda: "is for a person" in shown(pilot))

    drive(screen_on(places), script)
    assert not is_trusted(places, project)
    assert launches == []


def test_a_file_that_broke_since_it_was_listed_is_said_where_the_plan_would_be(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        (places.workflows / "ship.toml").write_text("[[waves]]\nname = 3\n")
        await press(pilot, "down", "n")
        screen = pilot.app.screen
        assert isinstance(screen, Launch)
        await until(pilot, lambda: screen.plan.count() > 0)
        assert "ship.toml:1" in screen.plan.text(0)[0]
        await press(pilot, "f5", "escape")
        assert pilot.app.screen is main_of(pilot)

    drive(screen_on(places), script)


def test_fields_are_of_the_kind_that_was_asked_for(places: Places) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        assert isinstance(screen._fields["feature"], TextArea)
        assert isinstance(screen._fields["branch"], Input)

    drive(screen_on(places), script)


def test_launching_twice_in_a_hurry_launches_once(places: Places, launches: Launches) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "=x", "tab", "down")
        await pilot.press("f5", "f5", "f5")
        await until(pilot, lambda: "was launched" in shown(pilot))

    drive(screen_on(places), script)
    assert len(launches) == 1


def test_a_workflow_of_another_project_says_so_and_works_in_either_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places.of_environment({"MIDWATCH_HOME": str(home)})
    other, here = tmp_path / "other", tmp_path / "here"
    for project in (other, here):
        (project / ".midwatch").mkdir(parents=True)
    path = other / ".midwatch" / "ship.toml"
    path.write_text(ONE_AGENT)
    trust(places, other)
    home.mkdir(exist_ok=True)
    Scene(home).launch(str(path), SECOND)
    asked: list[Path | None] = []

    def launch(*_: object, folder: Path | None, **__: object) -> Answer:
        asked.append(folder)
        raise WatchError("no watch")

    monkeypatch.setattr("harness.requests.launch", launch)
    monkeypatch.chdir(here)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "n")
        await until(pilot, lambda: "another project's" in shown(pilot) and bool(pilot.app.focused))
        await press(pilot, "enter")
        await until(pilot, lambda: asked == [other])
        await press(pilot, "shift+tab", "down", "tab", "enter")
        await until(pilot, lambda: asked[1:] == [None])

    drive(screen_on(places), script)
