"""Proves that folding the log gives the state, or says where it does not (E2)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields

from store.database import snapshot
from store.encoding import decode
from store.events import Event
from store.fold import fold
from store.run import Run
from store.views import load_run


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One place where the tables and the folded log disagree."""

    run: str
    where: str
    folded: str
    stands: str


def events(connection: sqlite3.Connection, run: str) -> Iterator[Event]:
    """The events of a run, decoded, in the order of the record."""
    for row in connection.execute("SELECT type, id, at, run, agent, data FROM events WHERE run=? ORDER BY seq", (run,)):
        yield decode(type=row[0], id=row[1], at=row[2], run=row[3], agent=row[4], data=row[5])


def audit_run(connection: sqlite3.Connection, run: str) -> list[Difference]:
    """Every difference in one run; an empty list is the proof."""
    with snapshot(connection):
        folded = fold(events(connection, run))
        stands = load_run(connection, run)
    if folded is None:
        return [Difference(run=run, where="run", folded="no launch in the log", stands=str(stands.state))]
    return list(_compare(run, folded, stands))


def _compare(run: str, folded: Run, stands: Run) -> Iterator[Difference]:
    for item in fields(Run):
        if item.name == "delegations":
            continue
        yield from _field(run, item.name, getattr(folded, item.name), getattr(stands, item.name))
    for name in sorted(set(folded.delegations) | set(stands.delegations)):
        one, other = folded.delegations.get(name), stands.delegations.get(name)
        if one is None or other is None:
            yield Difference(run=run, where=name, folded=str(one), stands=str(other))
            continue
        for item in fields(one):
            yield from _field(run, f"{name}.{item.name}", getattr(one, item.name), getattr(other, item.name))


def _field(run: str, where: str, folded: object, stands: object) -> Iterator[Difference]:
    if folded != stands:
        yield Difference(run=run, where=where, folded=repr(folded), stands=repr(stands))


def run_ids(connection: sqlite3.Connection) -> list[str]:
    """Every run whose events are still kept, oldest first."""
    return [
        row[0]
        for row in connection.execute(
            "SELECT id FROM runs WHERE EXISTS (SELECT 1 FROM events WHERE run = runs.id) ORDER BY seq"
        )
    ]
