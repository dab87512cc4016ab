from __future__ import annotations

import pytest

from store.model import Outcome, RunStatus, State
from store.run import Attempt, Delegation, Run
from tests.tui.test_waiting import run as a_run
from tui.actions import ACTIONS, BY_ID, bindings, hints
from tui.situation import Pane, Situation
from tui.widgets.workflows import WorkflowRow

SHIP = WorkflowRow(path="/w/ship.toml", name="ship")


def here(pane: Pane = Pane.RUNS, *, run: Run | None = None, **rest: object) -> Situation:
    facts: dict[str, object] = {"workflow": SHIP, "state": RunStatus.LIVE if run is not None else None, **rest}
    return Situation(pane=pane, run=run, **facts)  # type: ignore[arg-type]


def agent(state: State, **facts: object) -> Delegation:
    return Delegation(name="api", wave=0, position=0, state=state, **facts)  # type: ignore[arg-type]


def finished() -> Run:
    from dataclasses import replace

    from store.model import RunState

    return replace(a_run(), state=RunState.FINISHED, outcome=Outcome.COMPLETED)


@pytest.mark.parametrize(
    ("action", "situation", "why"),
    [
        ("stop", here(), "no run is selected"),
        ("stop", here(run=finished(), state=Outcome.COMPLETED), "has finished: completed"),
        ("stop", here(Pane.AGENTS, run=a_run(), agent=agent(State.DONE)), "S stops the whole run"),
        ("stop", here(Pane.OUTPUT, run=a_run(), agent=agent(State.STOPPING)), "already"),
        ("drain", here(run=a_run(), state=RunStatus.DRAINING), "draining already"),
        ("pause", here(Pane.AGENTS, run=a_run(), agent=agent(State.RUNNING)), "has started"),
        ("launch", here(workflow=None), "no workflow to launch"),
        ("launch", here(workflow=WorkflowRow(path=None, name="all")), "choose a workflow first"),
        ("launch", here(workflow=WorkflowRow(path="/w", name="w", error="ship.toml:3: wrong")), "ship.toml:3"),
        ("pager", here(agent=agent(State.DELEGATED)), "has not started"),
        ("in", here(Pane.OUTPUT, run=a_run()), "innermost"),
        ("in", here(Pane.RUNS), "no run yet"),
        ("earlier", here(Pane.OUTPUT, run=a_run()), "nothing is searched for"),
    ],
)
def test_what_is_not_possible_has_its_reason(action: str, situation: Situation, why: str) -> None:
    assert why in (BY_ID[action].when(situation) or "")


@pytest.mark.parametrize(
    ("action", "situation"),
    [
        ("stop", here(run=a_run())),
        ("stop", here(Pane.RUNS, run=a_run(), agent=agent(State.DONE))),
        ("stop", here(Pane.AGENTS, run=a_run(), agent=agent(State.RUNNING))),
        ("stop-run", here(Pane.AGENTS, run=a_run(), agent=agent(State.DONE))),
        ("pause", here(Pane.AGENTS, run=a_run(), agent=agent(State.DELEGATED))),
        ("pager", here(agent=agent(State.DONE, attempts=(Attempt(number=1, id="a", cli="claude", started_at=0),)))),
        ("launch", here()),
    ],
)
def test_what_is_possible_has_none(action: str, situation: Situation) -> None:
    assert BY_ID[action].when(situation) is None


def test_the_footer_offers_only_what_does_something_and_always_help_and_quit() -> None:
    words = [word for _, word in hints(here(Pane.WORKFLOWS, workflow=None), {})]
    assert words == ["filter", "usage", "help", "quit"]


def test_the_footer_says_unpause_for_what_is_held() -> None:
    assert "unpause" in [word for _, word in hints(here(run=a_run(paused=True)), {})]
    assert "pause" in [word for _, word in hints(here(run=a_run()), {})]


def test_the_footer_shows_a_key_of_the_persons_own() -> None:
    assert ("U", "usage") in hints(here(), {"usage": "U"})


def test_every_binding_carries_the_id_by_which_its_key_can_be_changed() -> None:
    from textual.binding import Binding

    found = [one for one in bindings() if isinstance(one, Binding)]
    assert {one.id for one in found} == {action.id for action in ACTIONS if action.keys and action.id != "palette"}
