"""`midwatch audit`: proves that folding the log gives the state, or says where it does not (E2).

`--json`: `{"runs": 12, "differences": [{"run", "where", "folded", "stands"}]}`. Leaves with 9 on a difference.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from store.audit import Difference, audit_run, run_ids
from store.paths import Places
from tui.commands.options import describe
from tui.commands.reading import reading
from tui.statuses import Status
from tui.text import clip, one_line

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal

_PROGRESS_EVERY_S = 0.2
_VALUE_CELLS = 200


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "Prove that folding the log gives the state, or say where it does not.", "midwatch audit")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Audits every run whose events are kept, all at one moment of the record."""
    runs: list[str] = []
    differences: list[Difference] = []
    with reading(Places.of_environment()) as connection:
        if connection is not None:
            runs = run_ids(connection)
            differences = _audit(connection, runs)
    if arguments.json:
        terminal.document(
            {
                "runs": len(runs),
                "differences": [
                    {"run": one.run, "where": one.where, "folded": one.folded, "stands": one.stands}
                    for one in differences
                ],
            }
        )
    else:
        for one in differences:
            terminal.line(f"{one.run}  {one_line(one.where)}")
            for label, value in (("the log gives", one.folded), ("the record says", one.stands)):
                terminal.lines(terminal.wrapped(f"{label} {clip(one_line(value), _VALUE_CELLS)}", "  "))
        count = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
        if differences:
            terminal.note(f"{count} audited: {len(differences)} differences between the log and the state")
        else:
            terminal.line(f"{count} audited: folding the log gives the state")
    return Status.DIFFERENT if differences else Status.OK


def _audit(connection: sqlite3.Connection, runs: list[str]) -> list[Difference]:
    differences: list[Difference] = []
    shows_progress = sys.stderr is not None and sys.stderr.isatty()
    shown = time.monotonic()
    for number, run in enumerate(runs):
        try:
            differences.extend(audit_run(connection, run))
        except (ValueError, KeyError, TypeError) as broken:
            problem = f"it does not fold: {type(broken).__name__}: {broken}"
            differences.append(Difference(run=run, where="log", folded=problem, stands="not compared"))
        if shows_progress and time.monotonic() - shown >= _PROGRESS_EVERY_S:
            shown = time.monotonic()
            sys.stderr.write(f"\r{number + 1} of {len(runs)} runs ")
            sys.stderr.flush()
    if shows_progress:
        sys.stderr.write("\r\x1b[K")
    return differences
