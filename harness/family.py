"""Runs that agents launched: each belongs to the run and the agent it was launched from, and ends with them (R21).

What such a run uses counts in the gates of the one that launched it, and so on upwards; its record, its outcome and its
cost are its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness import messages as m
from harness.admission import Spent
from harness.conductor import Conductor
from store.model import State
from store.run import Run

_STOPPED = (State.STOPPING, State.STOPPED)


class Family:
    """Of one watch, on its event loop. `conductors` are those of its live runs, by run."""

    def __init__(self, conductors: Mapping[str, Conductor], *, record_id: str) -> None:
        self._conductors = conductors
        self._record_id = record_id
        self._told: dict[str, Spent] = {}

    def expect(self, parent: Mapping[str, object]) -> None:
        """Raises `DoesNotApply` unless the agent that asks for a launch is at work here, and its run goes on."""
        run, agent, mark = (str(parent.get(name)) for name in ("run", "agent", "mark"))
        if not mark.startswith(f"{self._record_id}/"):
            raise m.DoesNotApply(
                "it was asked from inside an agent of another record, whose run it would have to belong to;"
                " a person's shell that has inherited MIDWATCH_ATTEMPT can unset it"
            )
        conductor = self._conductors.get(run)
        delegation = None if conductor is None else conductor.run.delegations.get(agent)
        attempt = None if delegation is None else delegation.attempt
        if conductor is None or delegation is None or attempt is None or mark != f"{self._record_id}/{attempt.id}":
            raise m.DoesNotApply(
                f"it was asked from inside agent '{agent}' of run {run}, which is not at work any more;"
                " a person's shell that has inherited MIDWATCH_ATTEMPT can unset it"
            )
        if delegation.state is not State.RUNNING or conductor.run.halted or conductor.run.draining_until is not None:
            raise m.DoesNotApply(f"run {run}, which it would belong to, starts nothing new any more")

    def began(self, run: Run) -> None:
        """It is conducted from now on; should its parent have been stopped meanwhile, so is it."""
        if run.parent is not None:
            self._pass_on(run)

    def stands(self, conductor: Conductor) -> None:
        """Something of this run was recorded: those above hear what it has used, those below whether to end."""
        run = conductor.run
        above = self._conductors.get(run.parent or "")
        spent = conductor.course.spent_below() + Spent(cost=run.totals.spent or 0, turns=run.totals.turns)
        if above is not None and self._told.get(run.id) != spent:
            self._told[run.id] = spent
            above.course.put(m.Below(run=run.id, agent=run.parent_agent or "", spent=spent))
        self.left(run.id)

    def left(self, parent: str) -> None:
        """Something became of this run, or it has left: those that it launched end where it has."""
        for conductor in self._conductors.values():
            if conductor.run.parent == parent:
                self._pass_on(conductor.run)

    def forget(self, run: str) -> None:
        """It uses nothing more."""
        self._told.pop(run, None)

    def _pass_on(self, child: Run) -> None:
        above = self._conductors.get(child.parent or "")
        agent = None if above is None else above.run.delegations.get(child.parent_agent or "")
        if above is None or not above.run.live:
            why = f"run {child.parent}, which launched it, has ended"
        elif above.run.halted is not None:
            why = f"run {child.parent}, which launched it, was stopped"
        elif agent is None or agent.state in _STOPPED:
            why = f"{child.parent_agent} of run {child.parent}, which launched it, was stopped"
        else:
            return
        self._conductors[child.id].course.put(m.ParentStopped(why=why))
