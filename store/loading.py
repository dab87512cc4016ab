"""The tables of one run → `Run`: what a fold of its events must equal (E2)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from store.model import Reason, State, Verdict
from store.plan_encoding import decode_plan
from store.run import Attempt, Delegation, Run
from store.views import TOTALS_COLUMNS, RunLine, totals


def load(connection: sqlite3.Connection, line: RunLine) -> Run:
    """The run of this line, with its plan, its delegations and their attempts; read inside one snapshot."""
    run = line.id
    row = connection.execute("SELECT digest, plan, inputs, halted_detail FROM runs WHERE id=?", (run,)).fetchone()
    attempts: dict[str, list[Attempt]] = {}
    for agent, attempt in _attempts(connection, run):
        attempts.setdefault(agent, []).append(attempt)
    delegations = {}
    for found in connection.execute(
        "SELECT agent, wave, position, state, held, not_before, reason, detail, verdict, quote, warning, files, model,"
        f" answer_bytes, answer_sha256, started_at, ended_at, {TOTALS_COLUMNS} FROM delegations WHERE run=?"
        " ORDER BY wave, position",
        (run,),
    ):
        delegations[found[0]] = Delegation(
            name=found[0],
            wave=found[1],
            position=found[2],
            state=State(found[3]),
            held=bool(found[4]),
            not_before=found[5],
            reason=None if found[6] is None else Reason(found[6]),
            detail=found[7],
            verdict=None if found[8] is None else Verdict(found[8]),
            quote=found[9],
            warning=found[10],
            files=tuple(json.loads(found[11])),
            model=found[12],
            answer_bytes=found[13],
            answer_sha256=found[14],
            started_at=found[15],
            ended_at=found[16],
            totals=totals(found[17:]),
            attempts=tuple(attempts.get(found[0], ())),
        )
    return Run(
        id=line.id,
        workflow=line.workflow,
        name=line.name,
        folder=line.folder,
        digest=row[0],
        plan=decode_plan(json.loads(row[1])),
        inputs=json.loads(row[2]),
        started_at=line.started_at,
        state=line.state,
        paused=line.paused,
        draining_until=line.draining_until,
        halted=line.halted,
        halted_detail=row[3],
        outcome=line.outcome,
        reached_end=line.reached_end,
        why=line.why,
        restored=line.restored,
        discarded=line.discarded,
        continues=line.continues,
        parent=line.parent,
        parent_agent=line.parent_agent,
        ended_at=line.ended_at,
        wave=line.wave,
        totals=line.totals,
        delegations=delegations,
    )


def _attempts(connection: sqlite3.Connection, run: str) -> Iterator[tuple[str, Attempt]]:
    for row in connection.execute(
        "SELECT agent, number, id, cli, started_at, session, deadline, pid, start_ticks, boot, namespace, ended_at,"
        " exit_code, signal, asked, result, leftovers, out_bytes, err_bytes,"
        " not_understood, misread FROM attempts WHERE run=?"
        " ORDER BY agent, number",
        (run,),
    ):
        yield (
            row[0],
            Attempt(
                number=row[1],
                id=row[2],
                cli=row[3],
                started_at=row[4],
                session=row[5],
                deadline=row[6],
                pid=row[7],
                start_ticks=row[8],
                boot=row[9],
                namespace=row[10],
                ended_at=row[11],
                exit_code=row[12],
                signal=row[13],
                asked=None if row[14] is None else Reason(row[14]),
                result=row[15],
                leftovers=row[16],
                out_bytes=row[17],
                err_bytes=row[18],
                not_understood=row[19],
                misread=row[20],
            ),
        )
