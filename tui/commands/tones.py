"""The colour of a state, an outcome or a status: always a third hint, beside its sign and its word."""

from __future__ import annotations

from store.model import Outcome, RunStatus, State

_TONES = {
    State.RUNNING: "cyan",
    State.REVIEW: "cyan",
    State.STOPPING: "yellow",
    State.DONE: "green",
    State.FAILED: "red",
    State.BLOCKED: "yellow",
    State.STOPPED: "yellow",
    Outcome.COMPLETED: "green",
    Outcome.WITH_FAILURES: "yellow",
    Outcome.NOT_ACCEPTED: "red",
    RunStatus.LIVE: "cyan",
    RunStatus.PAUSED: "yellow",
    RunStatus.DRAINING: "yellow",
    RunStatus.UNSETTLED: "yellow",
}


def tone(value: State | Outcome | RunStatus | None) -> str | None:
    """Its colour's name, `None` for none."""
    return None if value is None else _TONES.get(value)
