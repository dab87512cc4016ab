"""What a launch and a resume have in common: a run as it begins, in the record and in the watch's hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness import snapshot, surroundings
from harness.at_work import TakenUp
from harness.fingerprints import fingerprint_key, fingerprints
from harness.hand_over import HandOver
from harness.settings import Settings
from harness.workflow import Workflow
from store import events as e
from store.fold import Folded, step
from store.ids import new_run_id
from store.inbox import Request
from store.paths import Places
from store.plan import Plan
from store.record import Batch, Handled
from store.run import Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Beginning:
    """What is to run. `identity`, `name` and `digest` are those of the workflow as the record will name it."""

    identity: str
    name: str
    digest: str
    workflow: Workflow
    folder: str
    plan: Plan
    inputs: Mapping[str, str]
    earlier: tuple[Run, ...] = ()  # the runs that it continues, oldest first
    taken_up: TakenUp | None = None
    parent: Mapping[str, str] | None = None  # the `run` and the `agent` that it was launched from, if from inside one


def begin(
    beginning: Beginning, request: Request, *, places: Places, settings: Settings, record_id: str
) -> tuple[Folded, HandOver, Batch]:
    """The run as launched, what it hands its agents, and the batch that makes it a fact and answers the request.

    Takes the terminal's surroundings and keeps the workflow's snapshot; nothing is recorded or started by it. Raises
    `HarnessError` when either cannot be done.
    """
    taken = surroundings.take(places.handoffs, request.id)
    run = new_run_id()
    events: list[e.Event] = [
        e.RunLaunched(
            run=run,
            workflow=beginning.identity,
            name=beginning.name,
            folder=beginning.folder,
            plan=beginning.plan,
            digest=beginning.digest,
            inputs=beginning.inputs,
            environment=fingerprints(taken.env, fingerprint_key(places.fingerprint_key)),
            continues=beginning.earlier[-1].id if beginning.earlier else None,
            parent=None if beginning.parent is None else beginning.parent["run"],
            parent_agent=None if beginning.parent is None else beginning.parent["agent"],
        )
    ]
    for index, wave in enumerate(beginning.plan.waves):
        events.extend(
            e.DelegationDelegated(run=run, agent=agent.name, wave=index, position=position)
            for position, agent in enumerate(wave.agents)
        )
    hand_over = HandOver(
        places=places,
        settings=settings,
        workflow=beginning.workflow,
        surroundings=taken,
        record_id=record_id,
        earlier=beginning.earlier,
        taken_up=beginning.taken_up,
    )
    snapshot.keep(places, run, beginning.workflow)
    handled = Handled(request=request.id, answer={"run": run}, before=request.expires_at)
    return _folded(events), hand_over, Batch(events=tuple(events), handled=handled)


def _folded(events: list[e.Event]) -> Folded:
    so_far: Folded | None = None
    for event in events:
        so_far = step(so_far, event)
    assert so_far is not None
    return so_far
