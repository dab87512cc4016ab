"""What a waiting agent waits for, in a few words (A6)."""

from __future__ import annotations

from store.model import State
from store.run import Delegation, Run


def waits_for(run: Run, delegation: Delegation, *, paused: bool) -> str:
    """Why it has not started; '' for one that does not wait. `paused`: a person holds everything."""
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
    return "waits its turn"
