"""What ends before its time: stops by a person, gates, deadlines, and the watch being told to end (R14–R16, E9)."""

from __future__ import annotations

from harness.admission import gate_of_run
from harness.at_work import AtWork
from harness.course import Course
from harness.duration import format_duration
from harness.messages import Gone
from harness.settling import never_launched
from store import events as e
from store.model import RUNNING_STATES, Reason, State

GRACE_S = 5.0  # from the first polite word to the last
INTERRUPT_GRACE_S = 1.0  # a reboot gives no more than seconds


def halt(course: Course, reason: Reason, detail: str) -> None:
    """Halts the whole run: nothing more starts, and what is at work is ended."""
    if course.run.halted is None:
        course.emit(e.RunStopping(run=course.run.id, reason=reason, detail=detail))
    for delegation in list(course.run.delegations.values()):
        if delegation.state in RUNNING_STATES:
            end_agent(course, delegation.name, reason, detail)


def end_agent(course: Course, agent: str, reason: Reason, detail: str) -> None:
    """Asks one agent to end; it is 'stopping' until its tree is proven gone (R16). Nothing happens to an ended one."""
    before = course.run.delegations[agent].state
    if not course.emit(e.DelegationStopping(run=course.run.id, agent=agent, reason=reason, detail=detail)):
        return
    work = course.at_work.get(agent)
    if work is None:
        course.emit(e.DelegationStopped(run=course.run.id, agent=agent, reason=reason, detail=detail))
        return
    work.asked = reason
    if not work.launched:  # its prompt is being made; whatever becomes of that, nobody waits for it any more
        never_launched(course, work)
    elif work.gone is None:
        end_process(course, work)
    elif before is State.RUNNING:  # it has ended by a signal and waited to be judged: now it is judged
        course.put(Gone(agent=agent, exit=work.gone, settled=True))


def abandon(course: Course, agent: str, reason: Reason, detail: str | None) -> None:
    """It will not start; one that had begun, and was to be tried again, is stopped."""
    run = course.run
    if run.delegations[agent].attempts:
        end_agent(course, agent, run.halted or reason, detail or "the run was halted")
    else:
        course.emit(e.DelegationNotStarted(run=run.id, agent=agent, reason=reason, detail=detail))


def end_process(course: Course, work: AtWork) -> None:
    """Takes the process down the ladder, tree and all."""

    async def end() -> None:
        if work.kept is not None:
            await work.kept.end(grace=INTERRUPT_GRACE_S if course.interrupting else GRACE_S)

    course.act_apart(end)


def interrupt(course: Course) -> None:
    """The watch was told to end: everything at work is ended and settled as interrupted."""
    course.interrupting = True
    for work in course.at_work.values():
        if (work.asked is not None or work.stuck is not None) and work.launched and work.gone is None:
            end_process(course, work)  # it is being ended; now it has no more than the others
    if course.run.live and course.run.halted is None:
        course.emit(e.RunRestored(run=course.run.id))
    halt(course, Reason.INTERRUPTED, "the watch was told to end")


def look(course: Course, *, now: int) -> None:
    """What time brings to the run: its gates, and the end of a drain."""
    run = course.run
    if run.halted is None:
        gate = gate_of_run(run, now=now, at_work=True, below=course.spent_below())
        if gate is not None:
            halt(course, gate.reason, gate.detail)
        elif run.draining_until is not None and now >= run.draining_until:
            halt(course, Reason.DRAINED, "the minutes of the drain are over")


def stuck(course: Course, agent: str) -> None:
    """Ends an agent that the sweeper found: past its timeout it is stopped, silent for too long it has failed (E9).

    One that spoke or ended since then goes on.
    """
    work = course.at_work.get(agent)
    if work is None:
        return
    now, deadline, silent_by = work.clock(), work.deadline, work.silent_by
    if deadline is not None and now >= deadline:
        limit = format_duration(work.planned.timeout or 0)
        end_agent(course, agent, Reason.TIMEOUT, f"it took longer than its timeout of {limit}")
    elif silent_by is not None and now >= silent_by:
        work.stuck = f"no sign of life for {format_duration(work.planned.no_sign_of_life or 0)}, so it was ended"
        end_process(course, work)
