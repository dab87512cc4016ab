"""While you were away, and dead letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from harness import requests
from harness.errors import RefusedError
from harness.requests import Answer
from store import letters
from store.paths import Places
from tests.tui.driving import drive, main_of, press, screen_on, shown, until
from tests.tui.returning import quiet_evening
from tests.tui.scenes import NOW, Scene
from tui.away import last_looked


@pytest.fixture
def scene(home: Path) -> Scene:
    home.mkdir(exist_ok=True)
    return quiet_evening(home)


def test_one_line_tells_it_and_is_gone_once_it_was_read(scene: Scene) -> None:
    async def script(pilot: Pilot[int]) -> None:
        line = "While you were away: 1 not accepted, 1 blocked"
        await until(pilot, lambda: line in shown(pilot))
        await press(pilot, "j", "k")
        assert line in shown(pilot)
        await press(pilot, "w")
        text = shown(pilot)
        assert "Waits for you" in text and "the style guide is not there" in text and "long-ago" not in text
        await press(pilot, "escape")
        assert line not in shown(pilot)

    drive(screen_on(scene.places), script)


def test_the_next_look_begins_where_this_one_ended(scene: Scene) -> None:
    async def first(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: main_of(pilot).settled)

    async def second(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: main_of(pilot).settled)
        assert "While you were away" not in shown(pilot)
        await press(pilot, "w")
        assert "no run ended" in shown(pilot)

    drive(screen_on(scene.places), first)
    looked = last_looked(scene.places)
    assert looked is not None and looked.at == NOW and looked.seq > 0
    drive(screen_on(scene.places), second)


def test_the_first_look_of_all_tells_nothing(home: Path) -> None:
    home.mkdir(exist_ok=True)
    places = Scene(home).places

    async def script(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: main_of(pilot).settled)
        assert "While you were away" not in shown(pilot)
        await press(pilot, "w")
        assert "this is the first look" in shown(pilot)

    drive(screen_on(places), script)
    assert last_looked(places) is not None


def test_a_letter_is_read_tried_again_and_put_away(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(places: Places, verb: str, body: dict[str, str]) -> Answer:
        asked.append(verb)
        if verb == "retry":
            raise RefusedError("it is refused again: the run is finished")
        changed = letters.CHANGES[verb](Scene(Path(str(places.home))).building.connection, body["letter"])
        return Answer(request="q", facts={"state": changed.state})

    monkeypatch.setattr(requests, "ask", ask)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "D")
        assert "not taken by the webhook" in shown(pilot) and "delegation.accepted" in shown(pilot)
        await press(pilot, "enter")
        assert "does not apply in a run that is finished" in shown(pilot)
        await press(pilot, "escape", "t")
        await until(pilot, lambda: "it is refused again" in shown(pilot))
        await press(pilot, "x")
        await until(pilot, lambda: "the letter is put away" in shown(pilot))
        assert "delegation.accepted" not in shown(pilot) and "not taken by the webhook" in shown(pilot)
        await press(pilot, "escape")
        assert "all workflows" in shown(pilot)

    drive(screen_on(scene.places), script)
    assert asked == ["retry", "drop"]


def test_without_letters_it_says_so(home: Path) -> None:
    home.mkdir(exist_ok=True)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "D")
        assert "no dead letters" in shown(pilot)

    drive(screen_on(Scene(home).places), script)
