"""What a run makes of credentials: who may be launched on one, and what an attempt finds out about its own (K1–K6)."""

from __future__ import annotations

import asyncio
import time

from harness import messages as m
from harness.at_work import AtWork
from harness.course import Course
from harness.credentials import Finder
from harness.ending import Ending
from harness.hand_over import HandOver
from harness.reading import shortened
from harness.reports import Failure
from store import events as e
from store.credentials import Remembered, Standing
from store.ids import now_ms
from store.model import Reason, State
from store.plan import PlannedAgent


def may_start(course: Course, hand_over: HandOver, planned: PlannedAgent) -> bool | None:
    """Whether its credential lets it be launched; `None` when it never will be, and that is recorded now."""
    delegation = course.run.delegations[planned.name]
    if planned.name in course.asked_again or now_ms() < (delegation.not_before or 0):
        return False
    shape = hand_over.credential(planned)
    if shape is None:
        return True
    for cleared in course.credentials.overcome(shape):
        course.emit(cleared)
    one = course.credentials.standing(shape)
    if one is None:
        return now_ms() >= course.credentials.not_before(shape)
    if one.standing is Standing.HELD:
        return False
    reason = Reason.SIGN_IN if one.standing is Standing.DIED else Reason.USAGE_LIMIT
    if delegation.attempts:  # it had begun and was to be tried again
        course.emit(e.DelegationStopping(run=course.run.id, agent=planned.name, reason=reason, detail=told(one)))
        course.emit(e.DelegationStopped(run=course.run.id, agent=planned.name, reason=reason, detail=told(one)))
    else:
        course.emit(e.DelegationNotStarted(run=course.run.id, agent=planned.name, reason=reason, detail=told(one)))
    return None


def told(one: Remembered) -> str:
    """What is remembered of a credential, as a sentence for those that were not launched on it."""
    whose = f"{one.agent} of run {one.run}, attempt {one.attempt}, at {_clock(one.at)}"
    if one.standing is Standing.LIMITED:
        until = "" if one.resets_at is None else f" It resets at {one.resets_at}."
        return f"a usage limit was reached, found by {whose}: {one.message}.{until}"
    return (
        f"signing in failed, remembered from {whose}: {one.message}."
        f" Sign in again, or `midwatch credentials clear {one.key}`"
    )


def listen(course: Course, work: AtWork) -> None:
    """Takes up what the attempt has said about its credential since the last time."""
    shape = work.credential
    for failure in work.reading.news():
        if shape is None:
            continue
        if failure is None:
            _emit(course, course.credentials.got_through(shape))
        else:
            _emit(course, course.credentials.heard(shape, failure, _finder(work)))


def judge(course: Course, hand_over: HandOver, work: AtWork, ending: Ending) -> bool:
    """Whether an attempt that ended is tried again; whatever its end says of its credential is recorded."""
    shape = work.credential
    if shape is None:
        return False
    if ending.state is State.DONE:
        _emit(course, course.credentials.got_through(shape))
        return False
    last = work.reading.failures[-1] if work.reading.failures else None
    if ending.state is State.FAILED:
        _emit(course, course.credentials.ended(shape, _finder(work), last))
    else:
        _emit(course, course.credentials.ended(shape, _finder(work), None))
    if ending.state is not State.FAILED or last is None or not _goes_on(course):
        return False
    not_before = course.credentials.retry(shape, last)
    if not_before is None:
        return False
    _try_again(course, hand_over, work, last, not_before)
    return True


def _goes_on(course: Course) -> bool:
    run = course.run
    return run.halted is None and run.draining_until is None and not course.interrupting


def _try_again(course: Course, hand_over: HandOver, work: AtWork, failure: Failure, not_before: int) -> None:
    detail = f"{shortened(failure.message)}; attempt {work.attempt + 1} begins at {_clock(not_before)} at the earliest"
    course.emit(e.DelegationRetrying(run=work.run, agent=work.agent, not_before=not_before, detail=detail))
    del course.at_work[work.agent]
    course.asked_again.add(work.agent)

    async def look_back() -> None:
        taken_up = await asyncio.to_thread(hand_over.again, work)
        course.put(m.Again(agent=work.agent, taken_up=taken_up))

    course.act_apart(look_back)


def _finder(work: AtWork) -> Finder:
    return Finder(run=work.run, agent=work.agent, attempt=work.attempt, cli=work.planned.cli)


def _emit(course: Course, event: e.Event | None) -> None:
    if event is not None:
        course.emit(event)


def _clock(at: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at / 1000))
