from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store.database import open_reader
from store.recovery import cut_off_runs
from tests.tui.returning import cut_off, restore, ship_cut_off
from tests.tui.scenes import HOUR, MINUTE, NOW, SHIP, Scene
from tui import cut_off as words
from tui.cut_off import Offers, agent_line, how_it_ended, read_offers, rows_for, run_line, story
from tui.lines import length, text_of


@pytest.fixture(autouse=True)
def booted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "booted_at", lambda: NOW - 8 * HOUR)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = cut_off(tmp_path)
    yield made
    made.building.connection.close()


def offers(scene: Scene) -> Offers:
    with closing(open_reader(scene.places.record)) as reader:
        return read_offers(reader, scene.places, NOW)


def lines(found: Offers, width: int) -> list[str]:
    every = [offer for _, agents in found.runs for offer in agents]
    return [
        row.note
        or text_of(
            run_line(row.run, found, NOW, width)
            if row.offer is None
            else agent_line(row.offer, every, width, marked=False, told=False)
        )
        for row in rows_for(found, width)
    ]


def test_what_happened_is_said_and_what_a_resume_may_repeat(scene: Scene) -> None:
    told = " ".join(text for text, _ in story(offers(scene), live=0))
    assert told.startswith("The box restarted at ")
    assert "2 runs were cut off. Nothing is running and nothing is being spent." in told
    assert "An agent starts again only if you resume it." in told
    assert "may be done, and paid for, again" in told


def test_while_other_runs_go_on_only_of_these_it_is_said_that_nothing_runs(scene: Scene) -> None:
    assert "Nothing of it is running" in story(offers(scene), live=1)[0][0]


@pytest.mark.parametrize(
    ("boot", "booted", "last", "expected"),
    [
        ("b", NOW, NOW, "The watch ended, some time after "),
        ("b", NOW, None, "The watch ended."),
        ("another", None, NOW, "The box restarted."),
        ("another", NOW, NOW, "The box restarted at "),
    ],
)
def test_the_boot_of_its_attempts_tells_a_restart_from_the_end_of_the_watch(
    scene: Scene, boot: str, booted: int | None, last: int | None, expected: str
) -> None:
    with closing(open_reader(scene.places.record)) as reader:
        newest = cut_off_runs(reader)[0]
    assert how_it_ended(newest, boot, booted, last, NOW).startswith(expected)


def test_agents_of_this_boot_were_not_cut_off_by_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.identity.this_boot", lambda: "b")
    scene = Scene(tmp_path)
    ship_cut_off(scene)
    assert offers(scene).how.startswith("The watch ended, some time after ")


def test_every_run_says_what_is_kept_and_every_agent_how_it_would_start(scene: Scene) -> None:
    shown = "\n".join(lines(offers(scene), 114))
    assert "kept: 41 turns, $1.84+" in shown
    for agent, how in (
        ("review reviewer claude", "its session can be taken up"),
        ("tests  tester   command", "no session: would start again from its hand-over"),
        ("scan   tester   codex", "its session can be taken up"),
    ):
        assert any(agent in line and how in line for line in shown.splitlines()), shown
    assert "never started: notes" in shown


def test_where_room_is_short_nothing_of_it_is_left_out(scene: Scene) -> None:
    shown = lines(offers(scene), 76)
    assert "no session: would start again from its hand-over" in shown
    assert all(len(line) <= 76 for line in shown)


@pytest.mark.parametrize("width", [1, 10, 40, 76, 104, 200])
def test_no_line_is_wider_than_asked(scene: Scene, width: int) -> None:
    found = offers(scene)
    every = [offer for _, agents in found.runs for offer in agents]
    for run, _ in found.runs:
        assert length(run_line(run, found, NOW, width)) <= width
    for offer in every:
        assert length(agent_line(offer, every, width, marked=True, told=True)) <= width


def test_a_session_that_the_cli_cannot_take_up_is_not_promised(tmp_path: Path) -> None:
    """A command that named a session and has no `resume` starts again from its hand-over (R17)."""
    scene = Scene(tmp_path)
    run = scene.launch("/w/ship.toml", HOUR, SHIP)
    scene.wave(run, 0, "build", HOUR)
    scene.start(run, "tests", HOUR, cli="command", session="s-1")
    restore(scene, run, ["tests"], ["api", "ui", "review", "notes"], MINUTE)
    (offer,) = offers(scene).runs[0][1]
    assert (offer.agent.session, offer.session) == ("s-1", False)
