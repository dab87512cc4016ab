"""What a person asks of a live run or of one of its agents, answered in the transaction of its effect."""

from __future__ import annotations

from harness.course import Course
from harness.messages import Asked, DoesNotApply
from harness.stopping import end_agent, halt
from store import events as e
from store.ids import now_ms
from store.model import Reason
from store.record import Handled
from store.run import Delegation


def obey(course: Course, asked: Asked) -> None:
    """Does what was asked, or refuses it with a sentence; either way the request is answered."""
    course.close_batch()
    answer: dict[str, object] = {"run": course.run.id}
    state = "handled"
    try:
        if not course.run.live:
            raise DoesNotApply(f"run {course.run.id} has finished: {course.run.outcome}")
        if asked.agent is None:
            _for_run(course, asked)
        else:
            _for_agent(course, asked.verb, _named(course, asked.agent))
    except DoesNotApply as refusal:
        answer["error"] = str(refusal)
        state = "refused"
    course.close_batch(None if asked.request is None else Handled(request=asked.request, answer=answer, state=state))


def _for_run(course: Course, asked: Asked) -> None:
    run = course.run.id
    match asked.verb:
        case "stop":
            halt(course, Reason.OPERATOR, "a person stopped the run")
        case "drain":
            course.emit(e.RunDraining(run=run, until=now_ms() + int(asked.minutes * 60_000)))
        case "pause":
            course.emit(e.RunPaused(run=run))
        case "unpause":
            course.emit(e.RunUnpaused(run=run))
        case verb:
            raise DoesNotApply(f"'{verb}' is not something a run can do")


def _for_agent(course: Course, verb: str, delegation: Delegation) -> None:
    run, name, state = course.run.id, delegation.name, delegation.state
    match verb:
        case "stop":
            if delegation.final:
                raise DoesNotApply(f"{name} has ended: {state}")
            end_agent(course, name, Reason.OPERATOR, "a person stopped it")
        case "pause":
            if not course.emit(e.DelegationPaused(run=run, agent=name)):
                raise DoesNotApply(f"{name} is {state}: only what has not started can be held")
        case "unpause":
            if not course.emit(e.DelegationUnpaused(run=run, agent=name)):
                raise DoesNotApply(f"{name} is {state}: it is not held")
        case _:
            raise DoesNotApply(f"'{verb}' is not something an agent can do")


def _named(course: Course, agent: str) -> Delegation:
    found = course.run.delegations.get(agent)
    if found is None:
        from harness.nearest import suggestion

        near = suggestion(agent, course.run.delegations)
        raise DoesNotApply(f"no agent '{agent}' in run {course.run.id}; {near}")
    return found
