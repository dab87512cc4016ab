"""Runs and events as JSON documents, in the shapes of `show --json` and `events --json`, which the contract fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from store.model import RUNNING_STATES, RunStatus
from store.usage import NANO
from tui.wording import iso

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.log import Stored
    from store.run import Attempt, Delegation, Run
    from store.usage import Totals
    from store.views import RunLine
    from store.vitals import Vitals


def cost(totals: Totals, *, partial: bool) -> dict[str, Any]:
    """Money in dollars, `null` where nothing is known (U2, U3)."""
    return {
        "usd": _usd(totals.spent),
        "at_least": totals.missing_cost > 0,
        "partial": partial,
        "estimated_usd": _usd(totals.estimated),
    }


def usage(totals: Totals) -> dict[str, int | None]:
    """Tokens and turns, `null` for a counter that is not known."""
    return {
        "input": totals.input,
        "output": totals.output,
        "cache_read": totals.cache_read,
        "cache_write": totals.cache_write,
        "total": totals.tokens,
        "turns": totals.turns,
    }


def of_line(line: RunLine | Run, status: RunStatus, *, dropped: str | None = None) -> dict[str, Any]:
    """What a list says of a run: the document without inputs, tally and waves. `dropped`: why its detail is gone."""
    return {
        "run": line.id,
        "workflow": line.name,
        "path": line.workflow,
        "folder": line.folder,
        "status": status,
        "outcome": line.outcome,
        "why": line.why,
        "reached_end": line.reached_end,
        "restored": line.restored,
        "discarded": line.discarded,
        "dropped": dropped,
        "started_at": iso(line.started_at),
        "ended_at": _iso(line.ended_at),
        "cost": cost(line.totals, partial=line.live),
        "continues": line.continues,
        "parent": None if line.parent is None else {"run": line.parent, "agent": line.parent_agent},
        "usage": usage(line.totals),
    }


def of_run(run: Run, status: RunStatus, vitals: Mapping[str, Vitals], *, dropped: str | None = None) -> dict[str, Any]:
    """The whole document: what `show --json` prints."""
    from dataclasses import asdict

    from store.outcome import tally

    return {
        **of_line(run, status, dropped=dropped),
        "inputs": dict(run.inputs),
        "tally": asdict(tally(one.state for one in run.delegations.values())),
        "waves": [
            {
                "name": planned.name,
                "agents": [_agent(run, delegation, vitals) for delegation in run.of_wave(index)],
            }
            for index, planned in enumerate(run.plan.waves)
        ],
    }


def of_event(event: Stored) -> dict[str, Any]:
    """One event as the contract has it."""
    return {
        "seq": event.seq,
        "id": event.id,
        "at": iso(event.at),
        "run": event.run,
        "agent": event.agent,
        "type": event.type,
        "from": event.from_state,
        "to": event.to_state,
        "data": event.data,
    }


def _agent(run: Run, delegation: Delegation, vitals: Mapping[str, Vitals]) -> dict[str, Any]:
    from tui.standing import session_to_take_up

    planned = run.plan.agent(delegation.name)
    return {
        "name": delegation.name,
        "role": planned.role,
        "cli": planned.cli,
        "model": delegation.model or planned.model,
        "state": delegation.state,
        "held": delegation.held,
        "reason": delegation.reason or delegation.detail,
        "detail": delegation.detail,
        "verdict": delegation.verdict,
        "quote": delegation.quote,
        "warning": "; ".join(delegation.warnings) or None,
        "turns": delegation.totals.turns,
        "cost": cost(delegation.totals, partial=not delegation.final),
        "usage": usage(delegation.totals),
        "files": list(delegation.files),
        "resumable": session_to_take_up(run, delegation) is not None,
        "pids": _pids(delegation, vitals.get(delegation.name)),
        "started_at": _iso(delegation.started_at),
        "ended_at": _iso(delegation.ended_at),
        "attempts": [_attempt(attempt) for attempt in delegation.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt.number,
        "session": attempt.session,
        "exit_code": attempt.exit_code,
        "signal": attempt.signal,
        "asked": attempt.asked,
        "result": attempt.result,
        "not_understood": attempt.not_understood,
        "started_at": iso(attempt.started_at),
        "ended_at": _iso(attempt.ended_at),
    }


def _pids(delegation: Delegation, vitals: Vitals | None) -> list[int]:
    attempt = delegation.attempt
    if delegation.state not in RUNNING_STATES or attempt is None or attempt.ended_at is not None:
        return []
    if vitals is not None and vitals.pids:
        return list(vitals.pids)
    return [] if attempt.pid is None else [attempt.pid]


def _usd(nano: int | None) -> float | None:
    return None if nano is None else nano / NANO


def _iso(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)
