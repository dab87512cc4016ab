"""How an attempt's end becomes the state of its delegation."""

from __future__ import annotations

import asyncio

from harness import messages as m
from harness import signing_in
from harness.at_work import Answer, AtWork
from harness.course import Course
from harness.ending import Ending
from harness.full_disk import when_there_is_room
from harness.hand_over import HandOver
from harness.reading import shortened
from harness.review import review, unkept
from store import events as e
from store.model import Counts, Reason, State

SIGNAL_SETTLES_AFTER_S = 2.0  # a shutdown signals everything at once; only then is it known whether it was one


def refused(course: Course, agent: str, error: str) -> None:
    """It could not be started: that is the agent's failure, unless it had been asked to end before."""
    work = course.at_work.get(agent)
    if work is None:
        return
    if work.asked is not None:
        never_launched(course, work)
        return
    course.emit(work.ended())
    course.emit(e.DelegationFailed(run=work.run, agent=agent, detail=error))


def never_launched(course: Course, work: AtWork) -> None:
    """It was asked to end before it had a process."""
    course.emit(work.ended())
    stopped(course, work)


def gone(course: Course, hand_over: HandOver, message: m.Gone) -> None:
    """Its tree is gone and its journals are complete: settles it, or begins the review of its result."""
    work = course.at_work.get(message.agent)
    if work is None or work.reviewing:
        return
    work.gone = message.exit
    if _wait_to_judge(course, work, message):
        return
    for event in work.reading.end():
        course.emit(event)
    signing_in.listen(course, work)
    if work.planned.metered and not work.reading.metered:
        course.emit(unsupplied(work))
    course.emit(work.ended())
    if work.asked is not None:
        stopped(course, work)
        return
    if work.stuck is not None:
        course.emit(e.DelegationFailed(run=work.run, agent=work.agent, detail=work.stuck))
        return
    result = work.reading.result
    if result is None and message.exit.asked is not None:
        _ended_by_keeper(course, work)
        return
    if result is not None and result.limit is not None:  # its CLI closed the gate itself
        _stopped_because(course, work, result.limit, None if result.error is None else shortened(result.error))
        return
    ending = work.ending(interrupted_near=course.interrupting)
    if signing_in.judge(course, hand_over, work, ending):
        return
    match ending.state:
        case State.DONE:
            _begin_review(course, work, hand_over.answer_of(work), ending)
        case State.STOPPED:
            _stopped_because(course, work, ending.reason or Reason.INTERRUPTED, ending.detail)
        case State.BLOCKED:
            course.emit(e.DelegationBlocked(run=work.run, agent=work.agent, detail=ending.detail or "blocked"))
        case _:
            course.emit(e.DelegationFailed(run=work.run, agent=work.agent, detail=hand_over.failure_of(work, ending)))


def _ended_by_keeper(course: Course, work: AtWork) -> None:
    """Something outside, such as a shutdown, told its keeper to end: how it took that is no result and no vote."""
    detail = "its keeper was told to end by a signal that was not ours"
    if course.interrupting:
        _stopped_because(course, work, Reason.INTERRUPTED, detail)
    else:
        course.emit(e.DelegationFailed(run=work.run, agent=work.agent, detail=detail))


def _stopped_because(course: Course, work: AtWork, reason: Reason, detail: str | None) -> None:
    course.emit(e.DelegationStopping(run=work.run, agent=work.agent, reason=reason, detail=detail))
    stopped(course, work)


def _wait_to_judge(course: Course, work: AtWork, message: m.Gone) -> bool:
    """Whether it ended badly and without a result, and it is too early to tell a failure from a shutdown (A5)."""
    ended = message.exit
    badly = ended.signal is not None or ended.lost_keeper or ended.asked is not None or ended.code != 0
    if message.settled or not badly or work.asked is not None or work.stuck is not None:
        return False
    if work.reading.result is not None:
        return False
    again = m.Gone(agent=message.agent, exit=message.exit, settled=True)
    asyncio.get_running_loop().call_later(SIGNAL_SETTLES_AFTER_S, course.put, again)
    return True


def unsupplied(work: AtWork) -> e.UsageRecorded:
    """The event that says: this attempt was paid for, and its CLI did not say how much (U2)."""
    return e.UsageRecorded(
        run=work.run,
        agent=work.agent,
        attempt=work.attempt,
        counts=Counts(),
        request="not supplied",
        id=f"{work.attempt_id}.unsupplied",
    )


def _begin_review(course: Course, work: AtWork, answer: Answer, ending: Ending) -> None:
    work.reviewing = True
    course.emit(e.DelegationReported(run=work.run, agent=work.agent, attempt=work.attempt, answer_bytes=answer.bytes))

    async def read() -> None:
        try:
            event = await when_there_is_room(work, lambda: review(work, answer, ending))
        except OSError as problem:
            event = unkept(work, problem)
        course.put(m.Reviewed(agent=work.agent, event=event))

    course.act_apart(read)


def reviewed(course: Course, message: m.Reviewed) -> None:
    """Its result was read; a stop that landed meanwhile goes first (R14)."""
    work = course.at_work.get(message.agent)
    if work is None:
        return
    if work.asked is not None:
        stopped(course, work)
    else:
        course.emit(message.event)


def stopped(course: Course, work: AtWork) -> None:
    """It was asked to end, and nothing of it is left."""
    delegation = course.run.delegations[work.agent]
    course.emit(
        e.DelegationStopped(
            run=work.run,
            agent=work.agent,
            reason=delegation.reason or work.asked or Reason.OPERATOR,
            detail=delegation.detail,
        )
    )
