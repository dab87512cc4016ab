"""Credentials that fail: in the header, in a list, cleared by a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from harness import requests
from harness.requests import Answer
from store import events as e
from store.paths import Places
from tests.tui.driving import drive, main_of, press, screen_on, shown, until
from tests.tui.returning import failing
from tests.tui.scenes import Scene


@pytest.fixture
def scene(home: Path) -> Scene:
    home.mkdir(exist_ok=True)
    return failing(home)


def test_one_that_fails_is_in_the_header_and_is_cleared_by_a_key(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(places: Places, key: str, why: str | None) -> Answer:
        assert why is None
        scene.building.write(e.CredentialCleared(key=key, why="a person cleared it"))
        return Answer(request="r", facts={})

    monkeypatch.setattr(requests, "forget", forget)

    async def script(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: main_of(pilot).settled)
        assert "2 credentials failing (C)" in shown(pilot)
        await press(pilot, "C")
        text = shown(pilot)
        assert "signing in failed" in text and "limit reached" in text and "401 OAuth" in text
        await press(pilot, "enter")
        assert "/home/ann/.claude/.credentials.json" in shown(pilot)
        await press(pilot, "escape", "x")
        await until(pilot, lambda: "is forgotten" in shown(pilot))
        assert "401 OAuth" not in shown(pilot) and "usage limit" in shown(pilot)
        await press(pilot, "escape")
        await until(pilot, lambda: "1 credential failing" in shown(pilot))

    drive(screen_on(scene.places), script)


def test_without_any_it_says_so(home: Path) -> None:
    home.mkdir(exist_ok=True)
    scene = Scene(home)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "C")
        assert "nothing is remembered as failing" in shown(pilot)
        assert "clear" not in shown(pilot)

    drive(screen_on(scene.places), script)
