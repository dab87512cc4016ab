"""A launch request becomes a run: workflow checked, trust checked, surroundings taken, plan made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.beginning import Beginning, begin
from harness.hand_over import HandOver
from harness.inputs import fill_inputs
from harness.messages import DoesNotApply
from harness.settings import Settings
from harness.trust import require_trust
from harness.workflow import load_workflow
from harness.workflow_plan import to_plan
from store.fold import Folded
from store.inbox import Request
from store.paths import Places
from store.record import Batch


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
        beginning = Beginning(
            identity=str(workflow.path),
            name=workflow.name,
            digest=workflow.digest,
            workflow=workflow,
            folder=str(body["folder"]),
            plan=plan,
            inputs=inputs,
            parent=body.get("parent"),
        )
        return begin(beginning, request, places=self.places, settings=self.settings, record_id=self.record_id)


def _expect_text(path: str) -> None:
    """The record holds text; a name that is no UTF-8 could be written into it only as another one."""
    try:
        path.encode()
    except UnicodeEncodeError as problem:
        shown = path.encode(errors="replace").decode()
        raise DoesNotApply(f"the name {shown} is not in UTF-8; rename it, or launch from elsewhere") from problem
