"""What happens to a small run, as events: the material that the tests of the record are made of."""

from __future__ import annotations

from collections.abc import Sequence

from store import events as e
from store.ids import new_id, new_run_id
from store.model import Outcome, Reason, Role, State
from store.plan import Plan, PlannedAgent, PlannedWave

WORKFLOW = "/project/ship.toml"
PLAN = Plan(
    waves=(
        PlannedWave(
            name="build",
            agents=(
                PlannedAgent(name="api", role=Role.DEVELOPER, cli="claude", model="sonnet"),
                PlannedAgent(name="ui", role=Role.DEVELOPER, cli="codex"),
            ),
        ),
        PlannedWave(name="check", agents=(PlannedAgent(name="review", role=Role.REVIEWER, cli="claude"),)),
    )
)


def launched(run: str | None = None, *, workflow: str = WORKFLOW, at: int = 1_000) -> e.RunLaunched:
    """A launch of the plan above."""
    return e.RunLaunched(
        run=run or new_run_id(), workflow=workflow, name="ship", folder="/project", plan=PLAN, digest="d1", at=at
    )


def finished(run: str, outcome: Outcome = Outcome.COMPLETED, *, at: int = 9_000) -> e.RunFinished:
    """The end of a run."""
    return e.RunFinished(run=run, outcome=outcome, reached_end=True, why="that is how it went", at=at)


def delegated(run: str, *agents: str) -> tuple[e.Event, ...]:
    """A launch, and work handed over to these agents."""
    return (launched(run), *(e.DelegationDelegated(run=run, agent=agent) for agent in agents))


def cut_off(run: str, agent: str) -> tuple[e.Event, ...]:
    """A run whose agent was at work when the watch went away, settled as a restart does."""
    interrupted = Reason.INTERRUPTED
    return (
        *delegated(run, agent),
        started(run, agent),
        e.RunRestored(run=run),
        e.AttemptEnded(run=run, agent=agent, attempt=1),
        e.DelegationStopping(run=run, agent=agent, reason=interrupted),
        e.DelegationStopped(run=run, agent=agent, reason=interrupted),
        finished(run, Outcome.STOPPED),
    )


def started(run: str, agent: str, *, session: str | None = None, cli: str = "claude") -> e.DelegationStarted:
    """The first attempt of an agent is committed."""
    return e.DelegationStarted(run=run, agent=agent, attempt=1, attempt_id=new_id(), cli=cli, session=session)


def way_to(state: State | None, run: str, agent: str) -> Sequence[e.Event]:
    """Events that bring an agent of a live run to `state`, by the shortest way."""
    delegated = e.DelegationDelegated(run=run, agent=agent)
    running = (delegated, started(run, agent))
    review = (*running, e.DelegationReported(run=run, agent=agent, attempt=1))
    stopping = (delegated, e.DelegationStopping(run=run, agent=agent, reason=Reason.OPERATOR))
    ways: dict[State | None, Sequence[e.Event]] = {
        None: (),
        State.REFINING: (e.DelegationRefining(run=run, agent=agent),),
        State.DELEGATED: (delegated,),
        State.RUNNING: running,
        State.REVIEW: review,
        State.STOPPING: stopping,
        State.DONE: (*review, e.DelegationAccepted(run=run, agent=agent)),
        State.FAILED: (*running, e.DelegationFailed(run=run, agent=agent, detail="exit status 3")),
        State.BLOCKED: (*running, e.DelegationBlocked(run=run, agent=agent, detail="no access")),
        State.STOPPED: (*stopping, e.DelegationStopped(run=run, agent=agent, reason=Reason.OPERATOR)),
        State.NOT_STARTED: (delegated, e.DelegationNotStarted(run=run, agent=agent, reason=Reason.GATE)),
    }
    return ways[state]


def delegation_event(kind: str, run: str, agent: str) -> e.Event:
    """An event of this type that says no more than it must."""
    made: dict[str, e.Event] = {
        one.type: one
        for one in (
            e.DelegationRefining(run=run, agent=agent),
            e.DelegationDelegated(run=run, agent=agent),
            e.DelegationPaused(run=run, agent=agent),
            e.DelegationUnpaused(run=run, agent=agent),
            started(run, agent),
            e.DelegationRetrying(run=run, agent=agent, not_before=5_000, detail="rate limited"),
            e.DelegationReported(run=run, agent=agent, attempt=1),
            e.DelegationAccepted(run=run, agent=agent),
            e.DelegationFailed(run=run, agent=agent, detail="exit status 3"),
            e.DelegationBlocked(run=run, agent=agent, detail="no access"),
            e.DelegationStopping(run=run, agent=agent, reason=Reason.OPERATOR),
            e.DelegationStopped(run=run, agent=agent, reason=Reason.OPERATOR),
            e.DelegationNotStarted(run=run, agent=agent, reason=Reason.GATE),
        )
    }
    return made[kind]


def run_event(kind: str, run: str) -> e.Event:
    """An event of this type that says no more than it must."""
    made: dict[str, e.Event] = {
        one.type: one
        for one in (
            launched(run),
            e.RunPaused(run=run),
            e.RunUnpaused(run=run),
            e.RunDraining(run=run, until=5_000),
            e.RunStopping(run=run, reason=Reason.OPERATOR),
            e.RunRestored(run=run),
            finished(run),
            e.RunDiscarded(run=run),
        )
    }
    return made[kind]
