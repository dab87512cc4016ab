from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from harness.grace import Grace
from store import events as e
from store.model import Outcome
from store.paths import Places
from tests.tui.driving import drive, main_of, output_read, press, screen_on, shown, until, write_workflow
from tests.tui.scenes import HOUR, MINUTE, NOW, SECOND, Scene, busy, claude_lines
from tui.actions import ACTIONS
from tui.feed import News
from tui.midwatch import Midwatch
from tui.screens.main import Main
from tui.situation import Pane

SIZES = [(120, 36), (80, 24), (60, 20), (40, 12), (200, 60), (24, 7), (110, 20), (109, 19)]


@pytest.fixture
def scene(home: Path) -> Scene:
    """A record to write into; `home` fixes locale and folder."""
    home.mkdir(exist_ok=True)
    return Scene(home)


@pytest.fixture
def app(home: Path) -> Midwatch:
    """The screen on a busy evening."""
    home.mkdir(exist_ok=True)
    return screen_on(busy(home).places)


def test_every_workflow_shows_its_last_status_at_once(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        text = shown(pilot)
        for workflow, status in (
            ("ship-feature", "2 live"),
            ("nightly-audit", "completed"),
            ("triage", "not accepted"),
            ("docs", "blocked"),
            ("release", "never run"),
            ("backport", "not valid"),
        ):
            assert any(workflow in line and status in line for line in text.splitlines()), workflow

    drive(app, script)


def test_a_workflow_of_which_only_the_record_knows_is_shown_too(scene: Scene) -> None:
    scene.finish(scene.launch("/gone/elsewhere.toml", HOUR), Outcome.COMPLETED, 0, "done")

    async def script(pilot: Pilot[int]) -> None:
        assert any("elsewhere" in line and "completed" in line for line in shown(pilot).splitlines())

    drive(screen_on(scene.places), script)


def test_opening_a_workflow_shows_its_last_run_whole(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "slash", "=triage", "enter", "enter")
        await output_read(pilot)
        text = shown(pilot)
        assert main.pane is Pane.RUNS
        for words in (
            "not accepted",
            "rejected",
            "REJECTED: the rounding",
            "ended with exit status 2",
            "1 agent unknown",
        ):
            assert words in text, words

    drive(app, script)


def test_the_way_in_and_back_goes_one_step_at_a_time(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        been = [main.pane]
        for key in ("enter", "right", "l", "escape", "left", "h"):
            await press(pilot, key)
            been.append(main.pane)
        assert been == [
            Pane.WORKFLOWS, Pane.RUNS, Pane.AGENTS, Pane.OUTPUT, Pane.AGENTS, Pane.RUNS, Pane.WORKFLOWS,
        ]  # fmt: skip
        await press(pilot, "shift+tab")
        assert main.pane is Pane.OUTPUT
        await press(pilot, "tab")
        assert main.pane is Pane.WORKFLOWS

    drive(app, script)


def test_where_room_is_short_one_column_is_shown_and_the_cost_line_stays(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        for expected, absent in (
            ("nightly-audit", "waits for"),
            ("stopped", "waits for"),
            ("waits for", "nightly-audit"),
        ):
            text = shown(pilot)
            assert expected in text
            assert absent not in text
            assert "partial" in text.splitlines()[-2]
            await press(pilot, "enter")

    drive(app, script, size=(80, 24))


def test_no_size_crashes_or_loses_the_selection(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "down", "enter", "down", "enter", "down")
        await output_read(pilot)
        before = (main.runs.selected, main.board.selected, main.pane)
        assert None not in before
        for size in [*SIZES, (1, 1), (120, 36)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await press(pilot, "e", "escape")
        assert (main.runs.selected, main.board.selected, main.pane) == before

    drive(app, script)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_keys_work_at_every_size(app: Midwatch, size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "down", "enter", "G", "g", "pagedown", "pageup", "enter", "j", "k", "enter", "k", "G")
        assert main.pane is Pane.OUTPUT
        await press(pilot, "question_mark", "j", "escape", "u", "tab", "escape", "q")
        assert len(pilot.app.screen_stack) == 2
        await press(pilot, "escape")

    drive(app, script, size=size)


def test_a_small_terminal_is_said(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        first, *_, last = shown(pilot).splitlines()
        assert "60x20" in last and "2 live" in first

    drive(app, script, size=(59, 20))


def test_agents_show_what_they_do_and_what_they_wait_for(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "down")
        text = shown(pilot)
        for words in ("quiet 3m 31% 412M", "waits for check", "18t     ?", "4m10s done", "wave 2/3"):
            assert words in text, words

    drive(app, script)


def test_an_agent_that_is_held_and_a_run_that_is_paused_say_so(scene: Scene) -> None:
    run = scene.launch("/w/ship.toml", MINUTE)
    scene.building.write(e.DelegationPaused(run=run, agent="ui"))

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        assert "held" in shown(pilot)
        scene.building.write(e.RunPaused(run=run))
        await until(pilot, lambda: "paused" in shown(pilot))
        assert main.board.count == 5

    drive(screen_on(scene.places), script)


def test_a_live_run_without_a_watch_is_never_shown_as_live(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.requests.settle", lambda places: None)  # the watch is still at it
    scene.launch("/w/ship.toml", MINUTE)

    async def script(pilot: Pilot[int]) -> None:
        assert "1 unsettled" in shown(pilot).splitlines()[0]
        assert "1 live" not in shown(pilot)

    drive(screen_on(scene.places, watched=False), script)


def test_what_is_committed_elsewhere_appears_and_the_selection_stays(app: Midwatch, home: Path) -> None:
    scene = Scene(home)

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "enter", "down")
        selected = main.runs.selected
        scene.launch("/w/brand-new.toml", SECOND)
        await until(pilot, lambda: "brand-new" in shown(pilot))
        assert main.runs.selected is not None and selected is not None
        assert main.runs.selected.run.id == selected.run.id

    drive(app, script)


def test_only_cells_that_changed_are_painted_again(app: Midwatch) -> None:
    moment = [NOW]
    app.now = lambda: moment[0]

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await pilot.pause()
        main.board._exchange_repaint_regions()
        moment[0] += SECOND
        main._tick()
        regions = main.board._exchange_repaint_regions()
        (clock,) = [region for region in regions if region.y > 0]  # the other is the clock in the frame
        assert clock.size == (1, 1)

    drive(app, script)


def test_nothing_is_painted_when_news_change_nothing(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await pilot.pause()
        for widget in main.children:
            widget._exchange_repaint_regions()
        main.look()
        assert not any(widget._exchange_repaint_regions() for widget in main.children)

    drive(app, script)


@pytest.mark.parametrize("key", ["slash", "question_mark", "u", "e", "n", "s", "ctrl+p"])
def test_every_screen_opens_and_closes_and_leads_back(app: Midwatch, key: str) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "down")
        before = shown(pilot)
        await press(pilot, key)
        assert shown(pilot) != before
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen is main and shown(pilot) == before)

    drive(app, script)


def test_a_filter_follows_while_one_types_and_escape_shows_all(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        count = main.workflows.count
        await press(pilot, "slash", "=ship")
        assert main.workflows.count == 1
        await press(pilot, "enter")
        assert "/ship" in shown(pilot)
        await press(pilot, "escape")
        assert main.workflows.count == count
        await press(pilot, "slash", "=!ship", "enter")
        assert main.workflows.count == count - 1
        await press(pilot, "slash", "escape")
        assert main.workflows.count == count

    drive(app, script)


def test_a_filter_that_nothing_matches_says_so(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", "=zzz", "enter")
        assert "nothing matches 'zzz'" in shown(pilot)

    drive(app, script)


def test_the_output_follows_stays_put_when_scrolled_and_follows_again(scene: Scene) -> None:
    run = scene.launch("/w/ship.toml", MINUTE)
    scene.start(run, "tests", MINUTE)
    scene.journal(run, "tests", b"".join(b"line %d\n" % number for number in range(500)))

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        main.board.select(f"{run}/tests")
        main._agent_moved()
        main.focus_pane(Pane.OUTPUT)
        await until(pilot, lambda: "line 499" in shown(pilot))
        await press(pilot, "pageup")
        place = main.output.place
        scene.journal(run, "tests", b"one more\nand another\n")
        await until(pilot, lambda: "2 new, G follows" in shown(pilot))
        assert main.output.place == place
        assert "one more" not in shown(pilot)
        await press(pilot, "G")
        assert "and another" in shown(pilot)
        scene.journal(run, "tests", b"the last\n")
        await until(pilot, lambda: "the last" in shown(pilot))

    drive(screen_on(scene.places), script)


def test_a_search_in_the_output_goes_on_from_what_is_in_view_and_round(scene: Scene) -> None:
    run = scene.launch("/w/ship.toml", MINUTE)
    scene.start(run, "api", MINUTE)
    lines = [b"NEEDLE" if number in (100, 300) else b"line %d" % number for number in range(500)]
    scene.journal(run, "api", b"\n".join(lines) + b"\n")

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await until(pilot, lambda: main.output.count() == 500)
        main.focus_pane(Pane.OUTPUT)
        await press(pilot, "slash", "=needle", "enter")
        await until(pilot, lambda: "match in line 101" in shown(pilot))
        assert "went on from the beginning" in shown(pilot)
        await press(pilot, "greater_than_sign")
        await until(pilot, lambda: "match in line 301" in shown(pilot))
        assert "went on" not in shown(pilot)
        await press(pilot, "greater_than_sign")
        await until(pilot, lambda: "match in line 101" in shown(pilot))
        await press(pilot, "less_than_sign")
        await until(pilot, lambda: "went on from the end" in shown(pilot) and "match in line 301" in shown(pilot))
        await press(pilot, "escape", "slash", "=nowhere", "enter")
        await until(pilot, lambda: "'nowhere' is not in this output" in shown(pilot))
        await press(pilot, "escape")
        assert main.pane is Pane.OUTPUT
        assert "match in" not in shown(pilot)

    drive(screen_on(scene.places), script)


def test_nothing_an_agent_wrote_is_markup_or_control(scene: Scene) -> None:
    evil = "[bold red]\x1b]0;title\x07[/nothing] \x1b[2J{{x}} [@click=app.quit]press[/]"
    run = scene.launch("/w/ship.toml", MINUTE, feature=evil)
    scene.start(run, "api", MINUTE)
    scene.journal(run, "api", claude_lines(evil, ("Bash", evil)))
    scene.failed(run, "api", SECOND, evil)

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        main.board.select(f"{run}/api")
        main._agent_moved()
        await output_read(pilot)
        for key in (None, "e", "question_mark"):
            if key is not None:
                await press(pilot, key)
            text = shown(pilot)
            assert "\x1b" not in text and "\x07" not in text
            if key != "question_mark":
                assert "[bold red]" in text
            if key is not None:
                await press(pilot, "escape")
        await press(pilot, "tab", "tab", "tab", "y")
        assert "\x1b" not in shown(pilot)

    drive(screen_on(scene.places), script)


def test_stopping_asks_once_names_what_happens_and_asks_the_watch(
    app: Midwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str | None]] = []
    monkeypatch.setattr("harness.requests.stop", lambda places, run, agent=None: asked.append((run, agent)))

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "down", "enter", "down")
        run = main.glance.run
        assert run is not None
        await press(pilot, "s")
        text = shown(pilot)
        assert "Stop ship-feature" in text
        assert "review" in text and "Will not start: notes" in text
        await press(pilot, "escape")
        assert asked == []
        await press(pilot, "s", "enter")
        await until(pilot, lambda: asked == [(run.id, None)])
        await press(pilot, "enter")
        assert main.board.agent is not None
        assert main.board.agent.delegation.name == "review"
        await press(pilot, "s")
        assert "It has a vote" in shown(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: asked[1:] == [(run.id, "review")])

    drive(app, script)


def test_a_refusal_of_the_watch_is_a_sentence_on_the_screen(app: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.errors import RefusedError

    def refuse(*_: object, **__: object) -> None:
        raise RefusedError("that run has ended meanwhile")

    monkeypatch.setattr("harness.requests.drain", refuse)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "d", "enter")
        await until(pilot, lambda: "that run has ended meanwhile" in shown(pilot))
        await press(pilot, "j")
        assert "that run has ended" not in shown(pilot)

    drive(app, script)


def test_pausing_holds_the_run_or_a_waiting_agent(app: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, str | None]] = []
    monkeypatch.setattr("harness.requests.pause", lambda places, run=None, agent=None: asked.append((run, agent)))

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        run = main.glance.run
        assert run is not None
        await press(pilot, "p")
        await until(pilot, lambda: asked == [(run.id, None)])
        await press(pilot, "enter", "enter", "p")
        assert "only what has not started can be held" in shown(pilot)
        await press(pilot, "j", "p")
        await until(pilot, lambda: asked[1:] == [(run.id, "ui")])

    drive(app, script)


def test_a_drain_asks_for_the_minutes_and_says_what_the_system_gives(
    app: Midwatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str | None, float]] = []
    monkeypatch.setattr("harness.requests.drain", lambda places, run=None, *, minutes: asked.append((run, minutes)))
    monkeypatch.setattr("tui.screens.drain._grace", lambda places: Grace(600.0, "the unit x.service"))

    async def script(pilot: Pilot[int]) -> None:
        run = main_of(pilot).glance.run
        assert run is not None
        await press(pilot, "d")
        await until(pilot, lambda: "Going down, this system waits 10m" in shown(pilot))
        assert "for 30 minutes" in shown(pilot) and "not ui, review, tests, notes" in shown(pilot)
        await press(pilot, "1", "2", "backspace", "0")
        assert "for 10 minutes" in shown(pilot) and "Going down" not in shown(pilot)
        await press(pilot, "backspace", "backspace", "enter", "escape")
        assert asked == []
        await press(pilot, "d", "5", "enter")
        await until(pilot, lambda: asked == [(run.id, 5.0)])

    drive(app, script)


@pytest.mark.parametrize("again", ["enter", "q"])
def test_leaving_with_live_runs_asks_and_says_that_they_go_on(app: Midwatch, again: str) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "q")
        assert "go on without the screen" in shown(pilot)
        await press(pilot, "escape")
        assert pilot.app.is_running
        await press(pilot, "q", again)

    drive(app, script)
    assert app.return_code == 0


def test_leaving_with_nothing_live_asks_nothing(scene: Scene) -> None:
    app = screen_on(scene.places)

    async def script(pilot: Pilot[int]) -> None:
        await pilot.press("q")

    drive(app, script)
    assert app.return_code == 0


def test_ctrl_c_says_how_to_leave(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "ctrl+c")
        assert "q leaves the screen, and runs go on" in shown(pilot)

    drive(app, script)


def test_a_first_run_says_what_would_fill_each_pane(home: Path) -> None:
    places = Places.of_environment({"MIDWATCH_HOME": str(home)})

    async def script(pilot: Pilot[int]) -> None:
        text = shown(pilot)
        for words in ("no workflows yet", ".midwatch/", "no runs yet", "n launches"):
            assert words in text, words
        await press(pilot, "n")
        assert "no workflow to launch" in shown(pilot)
        write_workflow(
            places,
            "first",
            "[[waves]]\nname='a'\n[[waves.agents]]\nname='b'\nrole='writer'\ncli='claude'\nprompt='x'\n",
        )
        main_of(pilot)._find()
        await until(pilot, lambda: "first" in shown(pilot))
        Scene(home).launch(str(places.workflows / "first.toml"), SECOND)
        await until(pilot, lambda: "waits for" in shown(pilot))

    drive(screen_on(places), script)


def test_a_record_that_is_lost_is_said_and_what_was_shown_stays(app: Midwatch, home: Path) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        main._reader.close()
        record = main.midwatch.places.record
        for file in record.parent.glob("record.db*"):
            file.unlink()
        record.write_bytes(b"no record" * 1000)
        main.post_message(News(99, watched=True))
        await until(pilot, lambda: "damaged" in shown(pilot))
        assert "nightly-audit" in shown(pilot)

    drive(app, script)


def test_an_action_that_is_not_possible_says_why(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", "=triage", "enter", "s")
        assert "that run has finished: not accepted" in shown(pilot)

    drive(app, script)


def test_copying_sends_a_sequence_to_the_terminal_and_says_sent(app: Midwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(app, "write_to_terminal", sent.append)

    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "enter", "y")
        run = main.glance.run
        assert run is not None
        from base64 import b64encode

        assert sent == [f"\x1b]52;c;{b64encode(run.id.encode()).decode()}\x07"]
        assert "sent" in shown(pilot) and "copied" not in shown(pilot)

    drive(app, script)


def test_the_palette_lists_every_action_and_does_it(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        main = main_of(pilot)
        await press(pilot, "ctrl+p", "=next pane")
        await until(pilot, lambda: "To the next pane." in shown(pilot))
        await press(pilot, "enter")
        await until(pilot, lambda: main.pane is Pane.RUNS)

    drive(app, script)


def test_keys_of_the_persons_own_hold_in_keys_footer_and_help(home: Path) -> None:
    from harness.settings import Settings

    home.mkdir(exist_ok=True)
    settings = Settings(keys={"usage": ("U",)})
    app = screen_on(busy(home).places, settings=settings)

    async def script(pilot: Pilot[int]) -> None:
        assert " U usage" in shown(pilot)
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, Main)
        await press(pilot, "U")
        assert "Usage by workflow" in shown(pilot)
        await press(pilot, "escape", "question_mark")
        assert "  U  " in shown(pilot)

    drive(app, script, size=(120, 60))


def test_ascii_signs_are_all_that_is_used_where_the_locale_is_not_utf8(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir(exist_ok=True)
    places = busy(home).places
    monkeypatch.setenv("LANG", "C")
    app = screen_on(places)

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "down")
        await output_read(pilot)
        assert shown(pilot).isascii()
        for key in ("question_mark", "u", "e"):
            await press(pilot, key)
            assert shown(pilot).isascii(), key
            await press(pilot, "escape")
        await press(pilot, "s")
        assert shown(pilot).isascii()

    drive(app, script)


def test_without_colour_the_cursor_is_reversed_and_no_colour_is_sent(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("NO_COLOR", "1")
    app = screen_on(busy(home).places)

    async def script(pilot: Pilot[int]) -> None:
        strips = pilot.app.screen._compositor.render_strips()
        segments = [segment for strip in strips for segment in strip if segment.style is not None]
        colours = {
            colour for segment in segments if segment.style for colour in (segment.style.color, segment.style.bgcolor)
        }
        assert all(colour is None or colour.is_default for colour in colours)
        reversed_text = "".join(segment.text for segment in segments if segment.style and segment.style.reverse)
        assert "all workflows" in reversed_text

    drive(app, script)


def test_the_choice_of_a_theme_is_remembered(home: Path) -> None:
    home.mkdir(exist_ok=True)
    places = busy(home).places
    app = screen_on(places)

    async def script(pilot: Pilot[int]) -> None:
        assert pilot.app.current_theme.dark
        await press(pilot, "t")
        assert not pilot.app.current_theme.dark

    drive(app, script)
    assert not screen_on(places).current_theme.dark


def test_the_stylesheet_stays_below_what_textual_remembers(app: Midwatch) -> None:
    """Past 64 sources every new kind of widget makes Textual parse all of them again."""

    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "n")
        await until(pilot, lambda: "Build a feature" in shown(pilot))
        await press(pilot, "escape", "question_mark", "escape", "u", "escape", "e", "escape", "s", "escape", "ctrl+p")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        assert len(pilot.app.stylesheet.source) < 56

    drive(app, script)


def test_a_terminal_that_cannot_be_lent_to_a_pager_is_said_with_the_way_around(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "down", "o")
        assert "midwatch logs" in shown(pilot)

    drive(app, script)


def test_events_of_an_agent_and_of_a_run_are_listed(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "down", "e", "g")
        assert "run.launched" in shown(pilot)
        await press(pilot, "escape", "enter", "e")
        assert "Events of review" in shown(pilot)
        assert "delegation.started" in shown(pilot)
        assert "run.launched" not in shown(pilot)

    drive(app, script)


def test_usage_is_grouped_five_ways_and_says_what_is_uncertain(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "u")
        for group in ("workflow", "run", "agent", "model", "day"):
            text = shown(pilot)
            assert f"Usage by {group}" in text
            assert "$5.26+" in text
            assert "+ means at least" in text
            await press(pilot, "tab")
        await press(pilot, "w")
        assert "Usage by workflow, today" in shown(pilot)

    drive(app, script)


def test_every_action_of_the_table_has_its_method_and_its_key_is_nobody_elses() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        if action.id != "palette":
            assert callable(getattr(Main, f"do_{action.id.replace('-', '_')}")), action.id
    taken = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+q", "ctrl+z", "ctrl+backslash"}
    assert not taken & set(keys)
    assert not any(key.startswith("alt+") for key in keys)


def test_two_screens_on_one_record_both_see_what_is_new(app: Midwatch, home: Path) -> None:
    places = app.places
    other = screen_on(places)

    async def script(pilot: Pilot[int]) -> None:
        async def second(inner: Pilot[int]) -> None:
            Scene(home).launch("/w/seen-by-both.toml", SECOND)
            for one in (pilot, inner):
                await until(one, lambda one=one: "seen-by-both" in shown(one))  # type: ignore[misc]

        async with other.run_test(size=(80, 24)) as inner:
            await until(inner, lambda: main_of(inner).files_known)
            await second(inner)

    drive(app, script)


def test_the_reason_of_a_broken_workflow_is_said_where_it_would_be_launched(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "slash", "=backport", "enter", "n")
        text = " ".join(shown(pilot).split())
        assert "rol" in text and "role" in text

    drive(app, script)


def test_a_json_journal_is_never_shown_raw(app: Midwatch) -> None:
    async def script(pilot: Pilot[int]) -> None:
        await press(pilot, "down", "enter", "down")
        await output_read(pilot)
        text = shown(pilot)
        assert "Bash git diff --stat main" in text
        assert json.dumps({"type": "assistant"})[1:20] not in text

    drive(app, script)
