"""The recovery screen: nothing starts before a key, each agent is asked for alone, every answer is shown (R8–R12)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from harness import requests
from harness.errors import RefusedError
from harness.requests import Answer
from harness.resuming import CUT_OFF
from store import events as e
from store.model import Role
from store.paths import Places
from store.plan import PlannedAgent
from tests.tui.driving import drive, main_of, press, screen_on, shown, until
from tests.tui.returning import cut_off, restore, ship_cut_off
from tests.tui.scenes import HOUR, MINUTE, NOW, Scene, plan
from tui.screens.confirm import Confirm
from tui.screens.recovery import Recovery
from tui.situation import Pane

Call = tuple[str, str, bool, str | None]


@pytest.fixture
def scene(home: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Two runs that were cut off."""
    home.mkdir(exist_ok=True)
    monkeypatch.setattr("tui.cut_off.booted_at", lambda: NOW - 8 * HOUR)
    return cut_off(home)


class Watch:
    """What a watch would do with the requests of the screen, and what it was asked."""

    def __init__(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[Call] = []
        self.discarded: list[str] = []
        self.refusal = ""
        self._home = scene.places.home
        self._one_at_a_time = threading.Lock()
        monkeypatch.setattr(requests, "resume", self._resume)
        monkeypatch.setattr(requests, "discard", self._discard)

    def _resume(self, places: Places, run: str, agent: str, *, onward: bool = False, tell: str | None = None) -> Answer:
        with self._one_at_a_time:
            self.asked.append((run, agent, onward, tell))
            if self.refusal:
                raise RefusedError(self.refusal)
            assert self._home is not None
            again = plan(("again", [PlannedAgent(name=agent, role=Role.REVIEWER, cli="claude")]))
            building = Scene(self._home).building
            taken = building.launch("/flows/ship-feature.toml", plan=again, continues=run, at=NOW)
            return Answer(request="q", facts={"run": taken})

    def _discard(self, places: Places, run: str) -> Answer:
        self.discarded.append(run)
        assert self._home is not None
        Scene(self._home).building.write(e.RunDiscarded(run=run))
        return Answer(request="q", facts={"run": run})


@pytest.fixture
def watch(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """A watch that takes up what it is asked for."""
    return Watch(scene, monkeypatch)


def recovery_of(pilot: Pilot[int]) -> Recovery:
    """The recovery screen, which must be there."""
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, Recovery))


async def opened(pilot: Pilot[int]) -> Recovery:
    await until(pilot, lambda: isinstance(pilot.app.screen, Recovery))
    return recovery_of(pilot)


def gone(pilot: Pilot[int]) -> Callable[[], bool]:
    return lambda: not isinstance(pilot.app.screen, Recovery)


def test_it_opens_by_itself_and_starts_nothing(scene: Scene, watch: Watch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        text = shown(pilot)
        assert "2 runs were cut off." in text
        assert "may be done, and paid for, again" in text
        assert text.count("[ ]") == 3 and "[x]" not in text
        assert "kept: 41 turns, $1.84+" in text and "started" in text

    drive(screen_on(scene.places), script)
    assert watch.asked == []


def test_without_anything_cut_off_it_does_not_open(home: Path) -> None:
    home.mkdir(exist_ok=True)
    scene = Scene(home)
    scene.launch("/w/ship.toml", MINUTE)

    async def script(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: main_of(pilot).settled)
        assert gone(pilot)()
        await press(pilot, "R")
        assert "nothing was cut off" in shown(pilot)

    drive(screen_on(scene.places), script)


def test_what_has_no_watch_is_settled_first_and_then_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir(exist_ok=True)
    scene = Scene(home)
    run = scene.launch(scene.workflow("ship"), HOUR)
    scene.wave(run, 0, "build", HOUR)
    scene.start(run, "api", HOUR)
    go_on = threading.Event()

    def settle(places: Places) -> None:
        assert go_on.wait(20)
        restore(Scene(home), run, ["api"], ["ui", "review", "tests", "notes"], 0)

    monkeypatch.setattr(requests, "settle", settle)

    async def script(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "1 unsettled" in shown(pilot))
        assert gone(pilot)()
        go_on.set()
        await opened(pilot)
        assert "1 run was cut off." in shown(pilot)

    drive(screen_on(scene.places, watched=False), script)


def test_why_it_could_not_be_settled_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir(exist_ok=True)
    scene = Scene(home)
    scene.launch(scene.workflow("ship"), HOUR)

    def settle(places: Places) -> None:
        raise RefusedError("the watch could not start")

    monkeypatch.setattr(requests, "settle", settle)

    async def script(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "the watch could not start" in shown(pilot))

    drive(screen_on(scene.places, watched=False), script)


def test_marked_agents_are_resumed_each_by_a_request_of_its_own(scene: Scene, watch: Watch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "space", "space")
        assert shown(pilot).count("[x]") == 2
        await press(pilot, "r")
        await until(pilot, lambda: len(screen._offers.runs) == 1)
        assert shown(pilot).count("taken up as run") == 2
        assert not screen.rows.marks

    drive(screen_on(scene.places), script)
    assert sorted(agent for _, agent, _, _ in watch.asked) == ["review", "tests"]
    assert {(onward, tell) for _, _, onward, tell in watch.asked} == {(False, None)}


def test_without_a_mark_the_one_under_the_hand_is_resumed_and_c_goes_on_with_later_waves(
    scene: Scene, watch: Watch
) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "j", "c")
        await until(pilot, lambda: "taken up as run" in shown(pilot))

    drive(screen_on(scene.places), script)
    ((_, agent, onward, _),) = watch.asked
    assert (agent, onward) == ("tests", True)


def test_when_nothing_is_left_it_leads_to_the_run_that_was_taken_up(scene: Scene, watch: Watch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "space", "space", "space", "r")
        await until(pilot, gone(pilot))
        main = main_of(pilot)
        await until(pilot, lambda: main.glance.run is not None and main.glance.run.continues is not None)
        assert main.pane is Pane.AGENTS
        assert "cut off (" not in shown(pilot)

    drive(screen_on(scene.places), script)
    assert len(watch.asked) == 3


def test_a_resume_that_is_refused_says_why_and_the_agent_stays(scene: Scene, watch: Watch) -> None:
    watch.refusal = "review was taken up already, as run 7f3a"

    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "r")
        await until(pilot, lambda: "taken up already, as run 7f3a" in shown(pilot))
        assert screen.rows.selected is not None
        assert shown(pilot).count("[ ]") == 3

    drive(screen_on(scene.places), script)


def test_what_an_agent_will_be_told_can_be_edited_and_is_kept_until_it_is_resumed(scene: Scene, watch: Watch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "e")
        assert screen.editor.text == CUT_OFF
        await press(pilot, "=x r ")
        assert watch.asked == []
        await press(pilot, "escape")
        assert "with your words" in shown(pilot)
        await press(pilot, "escape")
        await until(pilot, gone(pilot))
        await press(pilot, "R")
        screen = await opened(pilot)
        await press(pilot, "e")
        assert screen.editor.text.startswith("x r ")
        await press(pilot, "escape", "r")
        await until(pilot, lambda: "taken up as run" in shown(pilot))
        assert "with your words" not in shown(pilot)

    drive(screen_on(scene.places), script)
    ((_, agent, _, tell),) = watch.asked
    assert agent == "review"
    assert tell is not None and tell.startswith("x r " + CUT_OFF[:20])


def test_discard_says_what_it_does_before_it_does_it(scene: Scene, watch: Watch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "x")
        assert isinstance(pilot.app.screen, Confirm)
        assert "Nothing of this run is offered again" in shown(pilot)
        assert "stay in history and usage" in shown(pilot)
        await press(pilot, "escape")
        assert watch.discarded == []
        await press(pilot, "x", "enter")
        await until(pilot, lambda: len(screen._offers.runs) == 1)
        assert "its record and its cost stay" in shown(pilot)

    drive(screen_on(scene.places), script)
    assert len(watch.discarded) == 1


def test_later_leaves_a_mark_in_the_header_and_its_key_opens_it_again(scene: Scene) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "escape")
        await until(pilot, gone(pilot))
        assert "2 cut off (R)" in shown(pilot).splitlines()[0]
        await press(pilot, "R")
        await opened(pilot)

    drive(screen_on(scene.places), script)


def test_enter_looks_inside_the_run(scene: Scene) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "G", "enter")
        await until(pilot, gone(pilot))
        main = main_of(pilot)
        assert main.glance.run is not None
        assert (main.glance.run.name, main.pane) == ("nightly-audit", Pane.AGENTS)

    drive(screen_on(scene.places), script)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (40, 12), (24, 7)])
def test_no_size_crashes_or_loses_the_mark(scene: Scene, size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[int]) -> None:
        screen = await opened(pilot)
        await press(pilot, "space")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert len(screen.rows.marks) == 1
        assert "esc" in shown(pilot)

    drive(screen_on(scene.places), script)


def test_many_agents_leave_the_keys_in_view(home: Path) -> None:
    home.mkdir(exist_ok=True)
    scene = Scene(home)
    for _ in range(12):
        ship_cut_off(scene)

    async def script(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await press(pilot, "G")
        assert "esc later" in shown(pilot)

    drive(screen_on(scene.places), script, size=(80, 24))
