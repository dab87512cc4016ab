"""A launch request becomes a run: workflow checked, trust checked, surroundings taken, plan made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import snapshot, surroundings
from harness.fingerprints import fingerprint_key, fingerprints
from harness.hand_over import HandOver
from harness.inputs import fill_inputs
from harness.messages import DoesNotApply
from harness.settings import Settings
from harness.trust import require_trust
from harness.workflow import load_workflow
from harness.workflow_plan import to_plan
from store import events as e
from store.fold import Folded, step
from store.ids import new_run_id
from store.inbox import Request
from store.paths import Places
from store.record import Batch, Handled


@dataclass(frozen=True, kw_only=True, slots=True)
class Launching:
    """Prepares launches; nothing is recorded or started by it."""

    places: Places
    settings: Settings
    record_id: str

    def prepare(self, request: Request) -> tuple[Folded, HandOver, Batch]:
        """The run as launched, what it hands its agents, and the batch that makes it a fact and answers the request.

        Raises `HarnessError` with the sentence for the person; then nothing has begun.
        """
        body = request.body
        path = Path(str(body["workflow"]))
        workflow = load_workflow(path, self.settings)
        if not body.get("named_by_path"):
            require_trust(self.places, workflow.path)
        inputs = fill_inputs(workflow, body.get("inputs", {}))
        plan = to_plan(workflow, self.settings)
        for named in (str(workflow.path), str(body["folder"])):
            _expect_text(named)
        taken = surroundings.take(self.places.handoffs, request.id)
        run = new_run_id()
        events: list[e.Event] = [
            e.RunLaunched(
                run=run,
                workflow=str(workflow.path),
                name=workflow.name,
                folder=str(body["folder"]),
                plan=plan,
                digest=workflow.digest,
                inputs=inputs,
                environment=fingerprints(taken.env, fingerprint_key(self.places.fingerprint_key)),
            )
        ]
        for index, wave in enumerate(plan.waves):
            events.extend(
                e.DelegationDelegated(run=run, agent=agent.name, wave=index, position=position)
                for position, agent in enumerate(wave.agents)
            )
        hand_over = HandOver(
            places=self.places,
            settings=self.settings,
            workflow=workflow,
            surroundings=taken,
            record_id=self.record_id,
        )
        snapshot.keep(self.places, run, workflow)
        handled = Handled(request=request.id, answer={"run": run}, before=request.expires_at)
        return folded(events), hand_over, Batch(events=tuple(events), handled=handled)


def _expect_text(path: str) -> None:
    """The record holds text; a name that is no UTF-8 could be written into it only as another one."""
    try:
        path.encode()
    except UnicodeEncodeError as problem:
        shown = path.encode(errors="replace").decode()
        raise DoesNotApply(f"the name {shown} is not in UTF-8; rename it, or launch from elsewhere") from problem


def folded(events: Sequence[e.Event]) -> Folded:
    """The run that these events, the first of which launches it, begin."""
    so_far: Folded | None = None
    for event in events:
        so_far = step(so_far, event)
    assert so_far is not None
    return so_far
