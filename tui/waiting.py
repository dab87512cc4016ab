"""What a waiting agent waits for, in a few words (A6)."""

from __future__ import annotations

from collections.abc import Sequence

from store.credentials import Remembered, Standing
from store.model import State
from store.run import Delegation, Run
from tui.wording import clock


def waits_for(run: Run, delegation: Delegation, *, paused: bool, credentials: Sequence[Remembered] = ()) -> str:
    """Why it has not started; '' for one that does not wait.

    `paused`: a person holds everything. `credentials`: those that do not work.
    """
    if delegation.state is State.REFINING:
        return "in draft"
    if delegation.state is not State.DELEGATED:
        return ""
    if run.halted is not None or run.draining_until is not None:
        return "will not start"
    if delegation.held:
        return "held"
    if run.paused or paused:
        return "paused"
    if delegation.wave > max(run.wave, 0):
        return f"waits for {run.plan.waves[delegation.wave - 1].name}"
    if delegation.not_before is not None:
        return f"tries again {clock(delegation.not_before, seconds=True)}"
    held = [one for one in credentials if one.standing is Standing.HELD]
    if not held:
        return "waits its turn"
    cli = run.plan.agent(delegation.name).cli
    return next((f"waits: {cli} is signing in ({one.agent})" for one in held if one.cli == cli), "waits its turn")
