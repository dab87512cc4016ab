"""Event → the rows that screens read. Called by `store.record` alone, inside its transaction.

Everything here can be rebuilt from the events; `midwatch audit` folds them and compares.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from store import events as e
from store import usage
from store.model import Counts
from store.plan_encoding import encode_plan

_TOTALS = ("input", "output", "cache_read", "cache_write", "cost", "estimated")
_MISSING = ("missing_input", "missing_output", "missing_cache_read", "missing_cache_write", "missing_cost")


def apply(connection: sqlite3.Connection, event: e.Event) -> None:
    """Brings the tables in step with one event that the machine has admitted."""
    handler = _HANDLERS.get(event.type)
    if handler is not None:
        handler(connection, event)


def _launched(connection: sqlite3.Connection, event: e.RunLaunched) -> None:
    connection.execute(
        "INSERT INTO runs(id, workflow, name, folder, digest, plan, inputs, state, continues, parent, parent_agent,"
        " started_at) VALUES(?,?,?,?,?,?,?,'live',?,?,?,?)",
        (
            event.run,
            event.workflow,
            event.name,
            event.folder,
            event.digest,
            json.dumps(encode_plan(event.plan), separators=(",", ":"), ensure_ascii=False),
            json.dumps(dict(event.inputs), ensure_ascii=False),
            event.continues,
            event.parent,
            event.parent_agent,
            event.at,
        ),
    )


def _set_run(columns: str, values: Callable[[Any], tuple[object, ...]]) -> Callable[..., None]:
    statement = f"UPDATE runs SET {columns} WHERE id=?"

    def change(connection: sqlite3.Connection, event: e.Event) -> None:
        connection.execute(statement, (*values(event), event.run))

    return change


def _set_delegation(columns: str, values: Callable[[Any], tuple[object, ...]]) -> Callable[..., None]:
    statement = f"UPDATE delegations SET {columns} WHERE run=? AND agent=?"

    def change(connection: sqlite3.Connection, event: e.Event) -> None:
        connection.execute(statement, (*values(event), event.run, event.agent))

    return change


def _hold_harness(value: str) -> Callable[..., None]:
    def change(connection: sqlite3.Connection, event: e.Event) -> None:
        connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES('paused', ?)", (value,))

    return change


def _delegated(connection: sqlite3.Connection, event: e.DelegationRefining | e.DelegationDelegated) -> None:
    state = event.type.partition(".")[2]
    connection.execute(
        "INSERT INTO delegations(run, agent, wave, position, state) VALUES(?,?,?,?,?)"
        " ON CONFLICT DO UPDATE SET wave=excluded.wave, position=excluded.position, state=excluded.state",
        (event.run, event.agent, event.wave, event.position, state),
    )


def _started(connection: sqlite3.Connection, event: e.DelegationStarted) -> None:
    connection.execute(
        "UPDATE delegations SET state='running', started_at=?, not_before=NULL, detail=NULL WHERE run=? AND agent=?",
        (event.at, event.run, event.agent),
    )
    connection.execute(
        "INSERT INTO attempts(run, agent, number, id, cli, session, deadline, started_at) VALUES(?,?,?,?,?,?,?,?)",
        (
            event.run,
            event.agent,
            event.attempt,
            event.attempt_id,
            event.cli,
            event.session,
            event.deadline,
            event.at,
        ),
    )


def _named(connection: sqlite3.Connection, event: e.AttemptNamed) -> None:
    if event.session is not None:
        connection.execute(
            "UPDATE attempts SET session=? WHERE run=? AND agent=? AND number=?",
            (event.session, event.run, event.agent, event.attempt),
        )
    if event.model is not None:
        connection.execute(
            "UPDATE delegations SET model=? WHERE run=? AND agent=?", (event.model, event.run, event.agent)
        )


def _set_attempt(columns: str, values: Callable[[Any], tuple[object, ...]]) -> Callable[..., None]:
    statement = f"UPDATE attempts SET {columns} WHERE run=? AND agent=? AND number=?"

    def change(connection: sqlite3.Connection, event: e.AttemptStarted | e.AttemptEnded) -> None:
        connection.execute(statement, (*values(event), event.run, event.agent, event.attempt))

    return change


def _used(connection: sqlite3.Connection, event: e.UsageRecorded) -> None:
    old: usage.Entry | None = None
    entry: usage.Entry | None = None
    if event.counts is not None:
        key = (event.run, event.agent, event.attempt, event.request or event.id)
        row = connection.execute(
            "SELECT model, at_least, input, output, cache_read, cache_write, cost, estimated FROM usage"
            " WHERE run=? AND agent=? AND attempt=? AND request=?",
            key,
        ).fetchone()
        if row is not None:
            counts = Counts(**dict(zip(_TOTALS, row[2:], strict=True)))
            old = usage.Entry(model=row[0], at_least=bool(row[1]), counts=counts)
        entry = usage.settle(old, usage.Entry(counts=event.counts, model=event.model, at_least=event.at_least))
        connection.execute(
            "INSERT OR REPLACE INTO usage(run, agent, attempt, request, at, workflow, model, at_least,"
            " input, output, cache_read, cache_write, cost, estimated)"
            " VALUES(?,?,?,?,?,(SELECT workflow FROM runs WHERE id=?),?,?,?,?,?,?,?,?)",
            (
                *key,
                event.at,
                event.run,
                entry.model,
                entry.at_least,
                *(getattr(entry.counts, name) for name in _TOTALS),
            ),
        )
    before, after = usage.Totals(), usage.Totals(turns=event.turns)
    if old is not None:
        before = usage.add(before, old)
    if entry is not None:
        after = usage.add(after, entry)
    _shift(connection, "delegations", "run=? AND agent=?", (event.run, event.agent), before, after)
    _shift(connection, "runs", "id=?", (event.run,), before, after)


def _remember(connection: sqlite3.Connection, event: e.CredentialHeld | e.CredentialDied | e.CredentialLimited) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO credentials(key, standing, cli, at, run, agent, attempt, message, resets_at)"
        " VALUES(?,?,?,?,?,?,?,?,?)",
        (
            event.key,
            event.type.partition(".")[2],
            event.cli,
            event.at,
            event.run,
            event.agent,
            event.attempt,
            event.message,
            event.resets_at if isinstance(event, e.CredentialLimited) else None,
        ),
    )


def _forget(connection: sqlite3.Connection, event: e.CredentialCleared) -> None:
    connection.execute("DELETE FROM credentials WHERE key=?", (event.key,))


def _shift(
    connection: sqlite3.Connection,
    table: str,
    where: str,
    key: tuple[object, ...],
    before: usage.Totals,
    after: usage.Totals,
) -> None:
    columns, values = ["turns=turns+?"], [after.turns]
    for name in _TOTALS:
        was, known = getattr(before, name), getattr(after, name)
        if known is not None or was is not None:
            columns.append(f"{name}=COALESCE({name},0)+?")
            values.append((known or 0) - (was or 0))
    for name in _MISSING:
        difference = getattr(after, name) - getattr(before, name)
        if difference:
            columns.append(f"{name}={name}+?")
            values.append(difference)
    connection.execute(f"UPDATE {table} SET {', '.join(columns)} WHERE {where}", (*values, *key))


_HANDLERS: Mapping[str, Callable[..., None]] = {
    "harness.paused": _hold_harness("1"),
    "harness.unpaused": _hold_harness("0"),
    "run.launched": _launched,
    "run.paused": _set_run("paused=1", lambda _: ()),
    "run.unpaused": _set_run("paused=0", lambda _: ()),
    "run.draining": _set_run("draining_until=?", lambda event: (event.until,)),
    "run.stopping": _set_run("halted=?, halted_detail=?", lambda event: (event.reason, event.detail)),
    "run.restored": _set_run("restored=1", lambda _: ()),
    "run.discarded": _set_run("discarded=1", lambda _: ()),
    "run.finished": _set_run(
        "state='finished', outcome=?, reached_end=?, why=?, ended_at=?, finished_seq=(SELECT max(seq) FROM events)",
        lambda event: (event.outcome, event.reached_end, event.why, event.at),
    ),
    "wave.started": _set_run("wave=?", lambda event: (event.wave,)),
    "delegation.refining": _delegated,
    "delegation.delegated": _delegated,
    "delegation.started": _started,
    "delegation.paused": _set_delegation("held=1", lambda _: ()),
    "delegation.unpaused": _set_delegation("held=0", lambda _: ()),
    "delegation.retrying": _set_delegation(
        "state='delegated', not_before=?, detail=?", lambda event: (event.not_before, event.detail)
    ),
    "delegation.reported": _set_delegation(
        "state='review', answer_bytes=?, answer_sha256=?", lambda event: (event.answer_bytes, event.answer_sha256)
    ),
    "delegation.accepted": _set_delegation(
        "state='done', verdict=?, quote=?, files=?, warning=?, ended_at=?",
        lambda event: (
            event.verdict,
            event.quote,
            json.dumps(list(event.files), ensure_ascii=False),
            event.warning,
            event.at,
        ),
    ),
    "delegation.failed": _set_delegation(
        "state='failed', detail=?, ended_at=?", lambda event: (event.detail, event.at)
    ),
    "delegation.blocked": _set_delegation(
        "state='blocked', detail=?, ended_at=?", lambda event: (event.detail, event.at)
    ),
    "delegation.stopping": _set_delegation(
        "state='stopping', reason=?, detail=?", lambda event: (event.reason, event.detail)
    ),
    "delegation.stopped": _set_delegation(
        "state='stopped', reason=?, detail=?, ended_at=?", lambda event: (event.reason, event.detail, event.at)
    ),
    "delegation.not_started": _set_delegation(
        "state='not_started', reason=?, detail=?, ended_at=?", lambda event: (event.reason, event.detail, event.at)
    ),
    "attempt.started": _set_attempt(
        "pid=?, start_ticks=?, boot=?, namespace=?",
        lambda event: (event.pid, event.start_ticks, event.boot, event.namespace),
    ),
    "attempt.named": _named,
    "attempt.ended": _set_attempt(
        "ended_at=?, exit_code=?, signal=?, asked=?, result=?, leftovers=?, out_bytes=?, err_bytes=?,"
        " not_understood=?, misread=?",
        lambda event: (
            event.at,
            event.exit_code,
            event.signal,
            event.asked,
            event.result,
            event.leftovers,
            event.out_bytes,
            event.err_bytes,
            event.not_understood,
            event.misread,
        ),
    ),
    "usage.recorded": _used,
    "credential.held": _remember,
    "credential.died": _remember,
    "credential.limited": _remember,
    "credential.cleared": _forget,
}
