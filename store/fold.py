"""Folding the log gives the state: events → `Run`, pure (E2).

It shares no code with the projections on purpose: `midwatch audit` compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from store import events as e
from store import usage
from store.machine import OF_NO_RUN, next_delegation_state
from store.model import RunState
from store.run import Attempt, Delegation, Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Folded:
    """A run as folded so far, with the ledger that replaced requests are looked up in."""

    run: Run
    ledger: Mapping[tuple[str, int, str], usage.Entry] = field(default_factory=dict)


def fold(events: Iterable[e.Event]) -> Run | None:
    """The run that these events, in the order of the record, add up to; `None` when they launch none."""
    folded: Folded | None = None
    for event in events:
        folded = step(folded, event)
    return None if folded is None else folded.run


def step(folded: Folded | None, event: e.Event) -> Folded | None:
    """`folded` after one more event, which the machine has already admitted."""
    if isinstance(event, e.RunLaunched):
        return Folded(run=_launched(event))
    if folded is None:
        return None
    if isinstance(event, e.UsageRecorded):
        return _used(folded, event)
    change = _OF_RUN.get(event.type)
    if change is not None:
        return replace(folded, run=replace(folded.run, **change(event)))
    if event.agent is None or event.type.startswith(OF_NO_RUN):
        return folded
    delegations = dict(folded.run.delegations)
    delegations[event.agent] = _delegation(delegations.get(event.agent), event)
    return replace(folded, run=replace(folded.run, delegations=delegations))


def _launched(event: e.RunLaunched) -> Run:
    return Run(
        id=event.run or "",
        workflow=event.workflow,
        name=event.name,
        folder=event.folder,
        digest=event.digest,
        plan=event.plan,
        inputs=dict(event.inputs),
        started_at=event.at,
        continues=event.continues,
        parent=event.parent,
        parent_agent=event.parent_agent,
    )


_OF_RUN: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "run.paused": lambda _: {"paused": True},
    "run.unpaused": lambda _: {"paused": False},
    "run.draining": lambda event: {"draining_until": event.until},
    "run.stopping": lambda event: {"halted": event.reason, "halted_detail": event.detail},
    "run.restored": lambda _: {"restored": True},
    "run.discarded": lambda _: {"discarded": True},
    "run.finished": lambda event: {
        "state": RunState.FINISHED,
        "outcome": event.outcome,
        "reached_end": event.reached_end,
        "why": event.why,
        "ended_at": event.at,
    },
    "wave.started": lambda event: {"wave": event.wave},
    "wave.finished": lambda _: {},
}


def _delegation(before: Delegation | None, event: e.Event) -> Delegation:
    state = next_delegation_state(before.state if before else None, event.type)
    if before is None:
        if not isinstance(event, e.DelegationRefining | e.DelegationDelegated) or state is None:
            raise ValueError(f"{event.type} of an agent that was never delegated")
        return Delegation(name=event.agent or "", wave=event.wave, position=event.position, state=state)
    after = before if state is None else replace(before, state=state)
    changes = _OF_DELEGATION.get(event.type)
    after = after if changes is None else replace(after, **changes(event))
    if state is not None and after.final:
        after = replace(after, ended_at=event.at)
    return _attempts(after, event)


_OF_DELEGATION: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "delegation.delegated": lambda event: {"wave": event.wave, "position": event.position},
    "delegation.paused": lambda _: {"held": True},
    "delegation.unpaused": lambda _: {"held": False},
    "delegation.started": lambda event: {"started_at": event.at, "not_before": None, "detail": None},
    "delegation.retrying": lambda event: {"not_before": event.not_before, "detail": event.detail},
    "delegation.reported": lambda event: {
        "answer_bytes": event.answer_bytes,
        "answer_sha256": event.answer_sha256,
    },
    "delegation.accepted": lambda event: {
        "verdict": event.verdict,
        "quote": event.quote,
        "files": event.files,
        "warning": event.warning,
    },
    "delegation.failed": lambda event: {"detail": event.detail},
    "delegation.blocked": lambda event: {"detail": event.detail},
    "delegation.stopping": lambda event: {"reason": event.reason, "detail": event.detail},
    "delegation.stopped": lambda event: {"reason": event.reason, "detail": event.detail},
    "delegation.not_started": lambda event: {"reason": event.reason, "detail": event.detail},
    "attempt.named": lambda event: {} if event.model is None else {"model": event.model},
}


def _attempts(delegation: Delegation, event: e.Event) -> Delegation:
    if isinstance(event, e.DelegationStarted):
        attempt = Attempt(
            number=event.attempt,
            id=event.attempt_id,
            cli=event.cli,
            started_at=event.at,
            session=event.session,
            deadline=event.deadline,
        )
        return replace(delegation, attempts=(*delegation.attempts, attempt))
    if not isinstance(event, e.AttemptStarted | e.AttemptNamed | e.AttemptEnded):
        return delegation
    changes: dict[str, Any]
    if isinstance(event, e.AttemptStarted):
        changes = {
            "pid": event.pid,
            "start_ticks": event.start_ticks,
            "boot": event.boot,
            "namespace": event.namespace,
        }
    elif isinstance(event, e.AttemptNamed):
        changes = {} if event.session is None else {"session": event.session}
    else:
        changes = {
            "ended_at": event.at,
            "exit_code": event.exit_code,
            "signal": event.signal,
            "asked": event.asked,
            "result": event.result,
            "leftovers": event.leftovers,
            "out_bytes": event.out_bytes,
            "err_bytes": event.err_bytes,
            "not_understood": event.not_understood,
            "misread": event.misread,
        }
    attempts = tuple(replace(one, **changes) if one.number == event.attempt else one for one in delegation.attempts)
    return replace(delegation, attempts=attempts)


def _used(folded: Folded, event: e.UsageRecorded) -> Folded:
    run, agent = folded.run, event.agent or ""
    delegation = run.delegations[agent]
    mine = replace(delegation.totals, turns=delegation.totals.turns + event.turns)
    whole = replace(run.totals, turns=run.totals.turns + event.turns)
    ledger = folded.ledger
    if event.counts is not None:
        key = (agent, event.attempt, event.request or event.id)
        old = ledger.get(key)
        entry = usage.Entry(counts=event.counts, model=event.model, at_least=event.at_least)
        entry = usage.settle(old, entry)
        mine, whole = usage.replace(mine, old, entry), usage.replace(whole, old, entry)
        ledger = {**ledger, key: entry}
    delegations = {**run.delegations, agent: replace(delegation, totals=mine)}
    return Folded(run=replace(run, totals=whole, delegations=delegations), ledger=ledger)
