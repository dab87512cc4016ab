"""May this start now? Pure; checked before each launch and, for what is spent, on each report (U5)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from harness.planner import Halt
from store.model import RUNNING_STATES, Reason
from store.plan import PlannedAgent
from store.run import Delegation, Run
from store.usage import NANO, Totals


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """The agents that may start now, in order; the others wait for a place or for a hold to be lifted."""

    agents: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What the runs that agents launched have used: nano-dollars and turns. It counts in the gates above them."""

    cost: int = 0
    turns: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(cost=self.cost + other.cost, turns=self.turns + other.turns)


NOTHING = Spent()


def admit(run: Run, wanting: Sequence[str], *, harness_paused: bool, starting: Collection[str] = ()) -> Admitted:
    """Who of `wanting` may start; `starting` are those that were admitted and are not recorded as running yet."""
    if harness_paused or run.paused or run.halted is not None or run.draining_until is not None:
        return Admitted(agents=())
    busy = {one.name for one in run.delegations.values() if one.state in RUNNING_STATES} | set(starting)
    places = max(0, run.plan.parallel - len(busy))
    free = [name for name in wanting if name not in busy and not run.delegations[name].held]
    return Admitted(agents=tuple(free[:places]))


def gate_of_run(run: Run, *, now: int, at_work: bool = False, below: Spent = NOTHING) -> Halt | None:
    """The gate of the whole run that has closed, if one has: budget, turns or deadline.

    `at_work`: for agents that are at work already; the last turn that the limit allows may be finished. `below`: what
    the runs that its agents launched have used.
    """
    plan = run.plan
    if plan.budget is not None and _spent(run.totals) + below.cost >= plan.budget:
        return Halt(reason=Reason.BUDGET, detail=f"the run's budget of {_dollars(plan.budget)} is spent")
    if plan.max_turns is not None and run.totals.turns + below.turns >= plan.max_turns + at_work:
        passed = "passed" if at_work else "reached"
        return Halt(reason=Reason.TURNS, detail=f"the run's limit of {plan.max_turns} turns is {passed}")
    if plan.deadline is not None and now >= run.started_at + plan.deadline * 1000:
        return Halt(reason=Reason.DEADLINE, detail="the run's deadline has passed")
    return None


def gate_of_agent(planned: PlannedAgent, delegation: Delegation, *, below: Spent = NOTHING) -> Halt | None:
    """The gate of one agent that has closed, if one has: its budget or its turns; `below` as for its run."""
    totals = delegation.totals
    if planned.budget is not None and _spent(totals) + below.cost >= planned.budget:
        return Halt(reason=Reason.BUDGET, detail=f"its budget of {_dollars(planned.budget)} is spent")
    if planned.max_turns is not None and totals.turns + below.turns > planned.max_turns:
        return Halt(reason=Reason.TURNS, detail=f"its limit of {planned.max_turns} turns is passed")
    return None


def _spent(totals: Totals) -> int:
    return totals.spent or 0


def _dollars(nano: int) -> str:
    return f"${nano / NANO:.2f}"
