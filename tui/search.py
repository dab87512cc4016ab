"""Words in what agents printed, over every output that is kept, the newest run first.

There is no index: retention bounds the journals, and what an adapter's reader has to parse is first looked through as
bytes, so that a search costs about one reading of the files.
"""

from __future__ import annotations

import mmap
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.views import load_run, run_lines
from tui.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from store.paths import Places
    from store.run import Run
    from store.views import RunLine

MOST_OF_ONE = 20
"""Lines found in one output; it has been found then."""
_PAGE = 50
_AS_PRINTED = re.compile(r"[A-Za-z0-9_.,:;()=+-]+")  # no JSON has to write these otherwise


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One line with the words in it."""

    run: RunLine
    source: Source
    line: int
    """Its number in the transcript, from 0: where a screen jumps to."""
    text: str
    """The line, harmless."""


def search(
    connection: sqlite3.Connection,
    places: Places,
    wanted: str,
    *,
    fits: Callable[[RunLine], bool] = lambda line: True,
) -> Iterator[Hit]:
    """Every line in which `wanted` stands, whatever the case, run by run and agent by agent, as they are found.

    Only runs that fit are looked into. A journal that is gone, or goes meanwhile, has nothing in it.
    """
    if not wanted.strip():
        return
    before: int | None = None
    while page := run_lines(connection, limit=_PAGE, before=before):
        before = page[-1].seq
        for line in page:
            if line.dropped is None and fits(line):
                try:
                    run = load_run(connection, line.id)
                except StoreError:  # evicted since the page was read
                    continue
                yield from _in_run(places, line, run, wanted)


def _in_run(places: Places, line: RunLine, run: Run, wanted: str) -> Iterator[Hit]:
    for delegation in run.delegations.values():
        for attempt in delegation.attempts:
            source = Source.of_attempt(run, delegation, attempt)
            for number, text in _in_output(places, source, wanted):
                yield Hit(run=line, source=source, line=number, text=text)


def _in_output(places: Places, source: Source, wanted: str) -> Iterator[tuple[int, str]]:
    transcript = source.open(places, ">")
    transcript.with_err = True
    try:
        if not any(_may_have(path, wanted) for path in (transcript.out, transcript.err)):
            return
        while transcript.grow():
            pass
        transcript.finish()
        start = 0
        for _ in range(MOST_OF_ONE):
            found = transcript.find(wanted, start, backwards=False)
            if found is None:
                return
            yield found, transcript.line(found)[0]
            start = found + 1
    except OSError:
        return
    finally:
        transcript.close()


def _may_have(path: Path, wanted: str) -> bool:
    """Whether the words may stand in the file, however its CLI writes text: every plain piece of them does."""
    pieces = _AS_PRINTED.findall(wanted)
    try:
        with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return all(re.search(re.escape(piece.encode()), content, re.IGNORECASE) for piece in pieces)
    except (OSError, ValueError):  # not there, or empty
        return False
