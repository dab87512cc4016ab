"""What a run needs next: (run so far) → steps, pure.

Knows nothing of processes, clocks or the record; whether a step may be taken now is `harness.admission`'s question.
"""

from __future__ import annotations

from dataclasses import dataclass

from store.model import OnFailure, Reason, State
from store.run import Run


@dataclass(frozen=True, kw_only=True, slots=True)
class StartWave:
    """Hand out the wave with this index."""

    wave: int
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """These agents of the current wave may start, in this order, if admitted."""

    agents: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Halt:
    """A gate of the run closes: nothing more starts, and the outcome is stopped."""

    reason: Reason
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Abandon:
    """These agents will never start, because of `reason`."""

    agents: tuple[str, ...]
    reason: Reason
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finish:
    """Nothing is left to do; `reached_end` when the last wave was finished without a halt (O2)."""

    reached_end: bool


Step = StartWave | Launch | Halt | Abandon | Finish


def next_step(run: Run) -> Step | None:
    """The next step of a live run, or `None` when it waits for agents at work (or has ended)."""
    if not run.live:
        return None
    if run.halted is not None:
        return _wind_up(run)
    if run.wave < 0:
        return _start(run, 0)
    members = run.of_wave(run.wave)
    if all(one.final for one in members):
        return _after_wave(run)
    waiting = tuple(one.name for one in members if one.state is State.DELEGATED and not one.held)
    if run.draining_until is not None:
        return None if _at_work(run) else Halt(reason=Reason.DRAINED, detail="drained: nothing new was started")
    if waiting:
        return Launch(agents=waiting)
    return None


def _start(run: Run, wave: int) -> Step:
    if run.draining_until is not None:
        return Halt(reason=Reason.DRAINED, detail="drained: nothing new was started")
    return StartWave(wave=wave, name=run.plan.waves[wave].name)


def _after_wave(run: Run) -> Step:
    wave = run.plan.waves[run.wave]
    failed = [one.name for one in run.of_wave(run.wave) if one.state is State.FAILED]
    last = run.wave + 1 == len(run.plan.waves)
    if failed and wave.on_failure is OnFailure.STOP and not last:
        return Halt(
            reason=Reason.WAVE_FAILED,
            detail=f"{', '.join(failed)} failed in wave {wave.name}, which stops the run on a failure",
        )
    return Finish(reached_end=True) if last else _start(run, run.wave + 1)


def _wind_up(run: Run) -> Step | None:
    unstarted = tuple(one.name for one in run.delegations.values() if one.state is State.DELEGATED)
    if unstarted:
        return Abandon(agents=unstarted, reason=_abandoned_because(run.halted), detail=run.halted_detail)
    if all(one.final for one in run.delegations.values()):
        return Finish(reached_end=False)
    return None


def _abandoned_because(halted: Reason | None) -> Reason:
    if halted is Reason.WAVE_FAILED:
        return Reason.WAVE_FAILED
    if halted in (Reason.BUDGET, Reason.TURNS, Reason.DEADLINE, Reason.OUTPUT_LIMIT):
        return Reason.GATE
    return Reason.STOPPED


def _at_work(run: Run) -> bool:
    return any(one.state in (State.RUNNING, State.REVIEW, State.STOPPING) for one in run.delegations.values())
