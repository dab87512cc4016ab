from __future__ import annotations

import pytest

from store.model import Reason, State
from store.plan import Plan
from store.run import Delegation, Run
from tests.tui.scenes import SHIP
from tui.waiting import waits_for


def run(plan: Plan = SHIP, **facts: object) -> Run:
    made = {
        "id": "r",
        "workflow": "/w",
        "name": "w",
        "folder": "/",
        "digest": "",
        "plan": plan,
        "inputs": {},
        "wave": 0,
    }
    return Run(**{**made, "started_at": 0, **facts})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wave", "facts", "held", "paused", "expected"),
    [
        (0, {}, False, False, "waits its turn"),
        (1, {}, False, False, "waits for build"),
        (2, {"wave": 1}, False, False, "waits for check"),
        (0, {}, True, False, "held"),
        (0, {"paused": True}, False, False, "paused"),
        (0, {}, False, True, "paused"),
        (1, {"draining_until": 1}, False, False, "will not start"),
        (1, {"halted": Reason.OPERATOR}, True, True, "will not start"),
    ],
)
def test_every_reason_to_wait_has_its_words(
    wave: int, facts: dict[str, object], held: bool, paused: bool, expected: str
) -> None:
    agent = Delegation(name="a", wave=wave, position=0, state=State.DELEGATED, held=held)
    assert waits_for(run(**facts), agent, paused=paused) == expected


@pytest.mark.parametrize("state", [state for state in State if state not in (State.DELEGATED, State.REFINING)])
def test_what_does_not_wait_waits_for_nothing(state: State) -> None:
    assert waits_for(run(), Delegation(name="a", wave=1, position=0, state=state), paused=True) == ""
