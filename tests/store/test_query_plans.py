"""The queries of start-up and of every tick answer from an index, never from history."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

import pytest
from story import WORKFLOW, finished, launched

from store import inbox, ledger, log, recovery, stuck, views, vitals, workflow_lines
from store.record import Batch, record

QUERIES: dict[str, Callable[[sqlite3.Connection], object]] = {
    "run_lines": views.run_lines,
    "run_lines, a later page": lambda reader: views.run_lines(reader, before=40),
    "run_lines of a workflow": lambda reader: views.run_lines(reader, workflow=WORKFLOW),
    "live_runs": views.live_runs,
    "runs_with_something_left": recovery.runs_with_something_left,
    "last_recorded": lambda reader: recovery.last_recorded(reader, "r"),
    "children_of": lambda reader: views.children_of(reader, "r"),
    "runs_ended_since": lambda reader: views.runs_ended_since(reader, 5),
    "workflow_lines": workflow_lines.workflow_lines,
    "last_seq": log.last_seq,
    "harness_paused": views.harness_paused,
    "resolve_run, the newest": lambda reader: views.resolve_run(reader, "@"),
    "resolve_run, a prefix": lambda reader: views.resolve_run(reader, "r"),
    "load_run": lambda reader: views.load_run(reader, "r"),
    "events_of": lambda reader: list(log.events_of(reader, "r", after=3)),
    "vitals_of": lambda reader: vitals.vitals_of(reader, "r"),
    "overdue": lambda reader: stuck.overdue(reader, 5),
    "stuck_work": lambda reader: stuck.stuck_work(reader, now=5, silent_since=3),
    "at_work": stuck.at_work,
    "inbox.waiting": inbox.waiting,
    "inbox.get": lambda reader: inbox.get(reader, "q"),
    "usage_lines of a run": lambda reader: ledger.usage_lines(reader, ledger.By.AGENT, run="r"),
    "spent_since": lambda reader: ledger.spent_since(reader, 5),
}
# A partial index holds only what is asked for, so walking it whole is right.
WHOLE = r"SCAN runs USING (COVERING )?INDEX (runs_live|runs_to_recover)|SCAN inbox USING INDEX inbox_waiting"
LISTS = ("run_lines", "live_runs", "runs_ended_since", "workflow_lines", "inbox")


@pytest.mark.parametrize("name", QUERIES)
def test_no_table_is_walked(writer: sqlite3.Connection, reader: sqlite3.Connection, name: str) -> None:
    record(writer, [Batch(events=(launched("r"), launched("old", workflow="/old.toml"), finished("old")))])
    statements: list[str] = []
    reader.set_trace_callback(statements.append)
    QUERIES[name](reader)
    reader.set_trace_callback(None)
    plans = [
        str(row[3])
        for statement in statements
        if statement.startswith(("SELECT", "WITH"))
        for row in reader.execute(f"EXPLAIN QUERY PLAN {statement}")
    ]
    assert plans
    tables = {row[0] for row in reader.execute("SELECT name FROM sqlite_schema WHERE type='table'")}
    walks = [plan for plan in plans if plan.startswith("SCAN") and plan.split()[1] in tables]
    assert [walk for walk in walks if not re.fullmatch(WHOLE, walk)] == []
    if name.startswith(LISTS):
        assert [plan for plan in plans if "TEMP B-TREE" in plan] == []
