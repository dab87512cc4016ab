"""`midwatch search TEXT`: the lines of agents' outputs in which the words stand, the newest run first.

`--json`: a list of `{"run", "workflow", "agent", "attempt", "line", "text"}`, `line` from 1 as the screen numbers them.
"""

from __future__ import annotations

import sqlite3
from argparse import ArgumentParser, Namespace
from itertools import islice
from typing import TYPE_CHECKING

from store.database import open_reader, unavailable
from store.paths import Places
from tui.commands.options import count, describe, moment
from tui.run_filter import RunFilter
from tui.search import search
from tui.statuses import Status
from tui.text import clip, one_line
from tui.wording import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from store.views import RunLine
    from tui.commands.terminal import Terminal
    from tui.search import Hit


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "Words in what agents printed, whatever the case, in every output that is kept.",
        "midwatch search 'permission denied' --since 7d",
    )
    parser.add_argument("text", metavar="TEXT", help="the words, as they stand together on one line")
    parser.add_argument("--workflow", metavar="WORKFLOW", help="only runs of this workflow, a name or a path")
    parser.add_argument("--since", metavar="WHEN", type=moment, help="only runs launched since: a date, or 7d, 24h")
    parser.add_argument("--limit", metavar="N", type=count, default=100, help="at most so many lines (100)")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints them as they are found."""
    fits = RunFilter.of(arguments.workflow, since=arguments.since).fits
    hits = islice(_hits(Places.of_environment(), arguments.text, fits), arguments.limit)
    if arguments.json:
        terminal.documents(map(_document, hits))
        return Status.OK
    found = 0
    for hit in hits:
        found += 1
        _print(terminal, hit)
    if not found:
        terminal.note("these words stand in no output that is kept")
    elif found == arguments.limit:
        terminal.note(f"the first {found}; there may be more (--limit)")
    return Status.OK


def _hits(places: Places, wanted: str, fits: Callable[[RunLine], bool]) -> Iterator[Hit]:
    """Reads without one transaction around it all: a long search must not keep the record from being tidied."""
    if not places.record.exists():
        return
    connection = open_reader(places.record)
    try:
        yield from search(connection, places, wanted, fits=fits)
    except sqlite3.Error as error:
        raise unavailable(places.record, error) from error
    finally:
        connection.close()


def _print(terminal: Terminal, hit: Hit) -> None:
    where = f"{short(hit.run.id)} {one_line(hit.source.agent)}:{hit.line + 1}"
    text = hit.text if terminal.width is None else clip(hit.text, terminal.width - len(where) - 2)
    terminal.line(f"{terminal.paint(where, 'cyan')}  {text}")
    terminal.flush()


def _document(hit: Hit) -> dict[str, object]:
    return {
        "run": hit.run.id,
        "workflow": hit.run.name,
        "agent": hit.source.agent,
        "attempt": hit.source.attempt,
        "line": hit.line + 1,
        "text": hit.text,
    }
