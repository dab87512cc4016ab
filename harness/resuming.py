"""Taking one interrupted agent up again: a new run that names the old, whose record stays as it is (R10, R11, R17)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from harness import snapshot
from harness.agents import adapter
from harness.at_work import TakenUp
from harness.beginning import Beginning, begin
from harness.cli_names import COMMAND
from harness.hand_over import HandOver, ledger_of
from harness.messages import DoesNotApply
from harness.settings import Settings
from store.fold import Folded
from store.inbox import Request
from store.model import Reason, State
from store.paths import Places
from store.plan import Plan, PlannedWave
from store.record import Batch
from store.recovery import earlier_runs, taken_up_by
from store.run import Delegation, Run
from store.views import load_run

CUT_OFF = (
    "You were cut off in the middle of this work, and are taken up again now. What you were doing when it broke off"
    " may or may not have had its effects: before you do anything, check which of your last steps already happened"
    " (files, commits, messages, anything outside), and do not repeat those. Then finish the work and report as you"
    " were told."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resuming:
    """Prepares resumes; nothing is recorded or started by it."""

    places: Places
    settings: Settings
    record_id: str

    def prepare(self, reader: sqlite3.Connection, request: Request) -> tuple[Folded, HandOver, Batch]:
        """The new run, what it hands its agent, and the batch that makes it a fact and answers the request.

        Raises `DoesNotApply` or `HarnessError` with the sentence for the person; then nothing has begun.
        """
        body = request.body
        old = load_run(reader, str(body["run"]))
        delegation = self._resumable(reader, old, str(body["agent"]))
        workflow = snapshot.recall(self.places, old.id)
        cli = old.plan.agent(delegation.name).cli
        can_resume = bool(workflow.agent(delegation.name).resume) if cli == COMMAND else adapter(cli).resumes
        session = delegation.attempts[-1].session if can_resume else None
        earlier = (*earlier_runs(reader, old), old)
        beginning = Beginning(
            identity=old.workflow,
            name=old.name,
            digest=old.digest,
            workflow=workflow,
            folder=old.folder,
            plan=_plan(old, delegation, onward=bool(body.get("onward"))),
            inputs=old.inputs,
            earlier=earlier,
            taken_up=TakenUp(
                agent=delegation.name,
                run=old.id,
                attempt=delegation.attempts[-1].number,
                session=session,
                ledger=ledger_of(self.places, old.plan.agent(delegation.name), session, earlier),
                tell=str(body.get("tell") or CUT_OFF),
            ),
        )
        return begin(beginning, request, places=self.places, settings=self.settings, record_id=self.record_id)

    def _resumable(self, reader: sqlite3.Connection, old: Run, agent: str) -> Delegation:
        delegation = old.delegations.get(agent)
        if delegation is None:
            from harness.nearest import suggestion

            raise DoesNotApply(f"no agent '{agent}' in run {old.id}; {suggestion(agent, old.delegations)}")
        if old.live:
            raise DoesNotApply(f"run {old.id} is live; nothing of it needs to be taken up")
        if old.discarded:
            raise DoesNotApply(f"run {old.id} was discarded; launch the workflow anew")
        if delegation.state is not State.STOPPED or delegation.reason is not Reason.INTERRUPTED:
            raise DoesNotApply(f"{agent} was not cut off: it is {delegation.state}")
        other = taken_up_by(reader, old.id, agent)
        if other is not None:
            raise DoesNotApply(f"{agent} was taken up already, as run {other}")
        return delegation


def _plan(old: Run, delegation: Delegation, *, onward: bool) -> Plan:
    wave = old.plan.waves[delegation.wave]
    first = PlannedWave(name=wave.name, on_failure=wave.on_failure, agents=(old.plan.agent(delegation.name),))
    later = old.plan.waves[delegation.wave + 1 :] if onward else ()
    return replace(old.plan, waves=(first, *later))
