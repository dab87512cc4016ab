"""Each workflow's last known status (R4, R7)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from store.database import snapshot
from store.views import LINE, RunLine, line_of


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkflowLine:
    """A workflow's last known status: of its newest live run, else of the run that was the last to end (R4)."""

    workflow: str
    name: str
    live_runs: int
    last: RunLine


def workflow_lines(connection: sqlite3.Connection) -> dict[str, WorkflowLine]:
    """The status of every workflow that ever ran, by its resolved path; its cost grows with workflows, not runs."""
    with snapshot(connection):
        return _workflow_lines(connection)


def _workflow_lines(connection: sqlite3.Connection) -> dict[str, WorkflowLine]:
    found = {}
    for (workflow,) in connection.execute(
        "WITH RECURSIVE each(workflow) AS (SELECT min(workflow) FROM runs UNION ALL"
        " SELECT (SELECT min(workflow) FROM runs WHERE workflow > each.workflow) FROM each"
        " WHERE each.workflow IS NOT NULL) SELECT workflow FROM each WHERE workflow IS NOT NULL"
    ).fetchall():
        live = connection.execute(
            f"SELECT {LINE} FROM runs WHERE workflow=? AND state='live' ORDER BY seq DESC", (workflow,)
        ).fetchall()
        rows = (
            live
            or connection.execute(
                f"SELECT {LINE} FROM runs WHERE workflow=? AND state='finished' ORDER BY finished_seq DESC LIMIT 1",
                (workflow,),
            ).fetchall()
        )
        last = line_of(rows[0])
        found[workflow] = WorkflowLine(workflow=workflow, name=last.name, live_runs=len(live), last=last)
    return found
