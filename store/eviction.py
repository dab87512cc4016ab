"""How a record leaves: marked, its rows gone and its usage added up in one transaction; then its folder of journals.

A crash leaves it whole or marked. While a run stands in `evicting` its folder may still be there, for the next pass.
"""

from __future__ import annotations

import sqlite3

from store.database import write
from store.ledger import DAY, SUMS
from store.retention import Dropped, held_runs

_OF_RUN = ("dead_letters", "delegations", "attempts", "vitals", "events")


def evict(connection: sqlite3.Connection, run: str, why: Dropped) -> bool:
    """Whether the run's rows left now; its history line stays and says why. Its folder is the caller's to delete.

    False when it may not leave (any more): live, held, or gone before. Usage keeps its sums by agent, model and day.
    """
    with write(connection):
        row = connection.execute("SELECT state, dropped FROM runs WHERE id=?", (run,)).fetchone()
        if row is None or row != ("finished", None) or run in held_runs(connection):
            return False
        connection.execute("INSERT INTO evicting(run) VALUES(?)", (run,))
        _add_up_usage(connection, run)
        connection.execute("DELETE FROM seen WHERE event IN (SELECT id FROM events WHERE run=?)", (run,))
        for table in _OF_RUN:
            connection.execute(f"DELETE FROM {table} WHERE run=?", (run,))
        connection.execute(
            """UPDATE runs SET dropped=?, bytes=NULL, plan='{"waves":[]}', inputs='{}' WHERE id=?""", (why.value, run)
        )
        return True


def half_gone(connection: sqlite3.Connection) -> list[str]:
    """Runs whose rows have left and whose folder may still be there."""
    return [row[0] for row in connection.execute("SELECT run FROM evicting ORDER BY run")]


def gone(connection: sqlite3.Connection, run: str) -> None:
    """Nothing of the run is left but its history line and its sums."""
    with write(connection):
        connection.execute("DELETE FROM evicting WHERE run=?", (run,))


def _add_up_usage(connection: sqlite3.Connection, run: str) -> None:
    """One row for each agent, model and day in place of the many; days are those of this process's time zone."""
    sums = connection.execute(
        f"SELECT run, agent, json_array({DAY}, model), max(at), workflow, model, max(at_least), {SUMS}"
        f" FROM usage WHERE run=? GROUP BY agent, model, {DAY}",
        (run,),
    ).fetchall()
    connection.execute("DELETE FROM usage WHERE run=?", (run,))
    connection.executemany(
        "INSERT INTO usage(run, agent, attempt, request, at, workflow, model, at_least,"
        " input, output, cache_read, cache_write, cost, estimated,"
        " missing_input, missing_output, missing_cache_read, missing_cache_write, missing_cost)"
        " VALUES(?,?,0,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        sums,
    )
