"""The machine: which event applies from which state, and where it leads. Everything not in the table is refused (E6).

The table is the document. A final state has no way out: failure is terminal (O3), and a resume is a new run.
"""

from __future__ import annotations

from collections.abc import Mapping

from store.model import RunState, State

DELEGATION: Mapping[tuple[State | None, str], State] = {
    (None, "delegation.refining"): State.REFINING,
    (None, "delegation.delegated"): State.DELEGATED,
    (State.REFINING, "delegation.delegated"): State.DELEGATED,
    (State.REFINING, "delegation.stopped"): State.STOPPED,
    (State.DELEGATED, "delegation.started"): State.RUNNING,
    (State.DELEGATED, "delegation.not_started"): State.NOT_STARTED,
    (State.DELEGATED, "delegation.stopping"): State.STOPPING,
    (State.DELEGATED, "delegation.paused"): State.DELEGATED,
    (State.DELEGATED, "delegation.unpaused"): State.DELEGATED,
    (State.RUNNING, "delegation.retrying"): State.DELEGATED,
    (State.RUNNING, "delegation.reported"): State.REVIEW,
    (State.RUNNING, "delegation.failed"): State.FAILED,
    (State.RUNNING, "delegation.blocked"): State.BLOCKED,
    (State.RUNNING, "delegation.stopping"): State.STOPPING,
    (State.REVIEW, "delegation.accepted"): State.DONE,
    (State.REVIEW, "delegation.failed"): State.FAILED,
    (State.REVIEW, "delegation.blocked"): State.BLOCKED,
    (State.REVIEW, "delegation.stopping"): State.STOPPING,
    (State.STOPPING, "delegation.stopped"): State.STOPPED,
}

RUN: Mapping[tuple[RunState | None, str], RunState] = {
    (None, "run.launched"): RunState.LIVE,
    (RunState.LIVE, "run.paused"): RunState.LIVE,
    (RunState.LIVE, "run.unpaused"): RunState.LIVE,
    (RunState.LIVE, "run.draining"): RunState.LIVE,
    (RunState.LIVE, "run.stopping"): RunState.LIVE,
    (RunState.LIVE, "run.restored"): RunState.LIVE,
    (RunState.LIVE, "run.finished"): RunState.FINISHED,
    (RunState.FINISHED, "run.discarded"): RunState.FINISHED,
}

WITHIN_LIVE_RUN = frozenset({"wave.started", "wave.finished"})
OF_NO_RUN = ("harness.", "credential.")
"""Kinds that apply whatever became of the run they name, if they name one."""
OF_AN_ATTEMPT = frozenset({"attempt.started", "attempt.named", "attempt.ended", "usage.recorded"})


def next_delegation_state(state: State | None, event_type: str) -> State | None:
    """Where the event leads from `state`, or `None` when it does not apply there."""
    return DELEGATION.get((state, event_type))


def next_run_state(state: RunState | None, event_type: str) -> RunState | None:
    """Where the event leads from `state`, or `None` when it does not apply there."""
    return RUN.get((state, event_type))
