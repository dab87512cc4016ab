"""What `midwatch runs --stuck` lists: agents at work that were silent for a while, or that nobody conducts (E9).

`--json`: a list of `{"run", "workflow", "agent", "state", "sign_of_life", "silent_by", "deadline", "why"}`, longest
silent first: when it last gave a sign of life, when it will have been silent too long, and when its timeout is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.duration import format_duration
from store.ids import now_ms
from store.model import State
from store.stuck import Stuck, at_work, stuck_work
from store.views import run_line
from tui.commands.reading import reading, watched
from tui.statuses import Status
from tui.text import one_line
from tui.wording import ago, iso, short

if TYPE_CHECKING:
    import sqlite3

    from store.paths import Places
    from tui.commands.terminal import Terminal

SILENT_S = 300.0
"""From how long a silence on an agent is listed, unless a person says otherwise."""


def list_stuck(places: Places, terminal: Terminal, *, silent: float, json: bool) -> int:
    """Lists what has been silent for so many seconds, is past its time, or has no watch."""
    watch, now = watched(places), now_ms()
    found: list[tuple[Stuck, str]] = []
    with reading(places) as connection:
        if connection is not None:
            found = [(one, _name(connection, one)) for one in find(connection, watch=watch, now=now, silent=silent)]
    if json:
        terminal.document([_document(one, name, watch=watch, now=now) for one, name in found])
        return Status.OK
    for one, name in found:
        terminal.line(f"{one_line(name)}  run {short(one.run)}  {one_line(one.agent)}  {one.state}")
        terminal.lines(terminal.wrapped(_why(one, watch=watch, now=now), "  "))
    if not found:
        terminal.line(f"nothing is stuck: whatever is at work gave a sign of life within {format_duration(silent)}")
    elif watch:
        terminal.note("`midwatch stop RUN AGENT` ends one; `midwatch logs RUN AGENT` has what it printed last")
    return Status.OK


def find(connection: sqlite3.Connection, *, watch: bool, now: int, silent: float = SILENT_S) -> list[Stuck]:
    """What is stuck, or may be; without a watch, everything that the record says is at work."""
    if not watch:
        return at_work(connection)
    return stuck_work(connection, now=now, silent_since=now - int(silent * 1000))


def _name(connection: sqlite3.Connection, one: Stuck) -> str:
    return run_line(connection, one.run).name


def _why(one: Stuck, *, watch: bool, now: int) -> str:
    if not watch:
        return "no watch lives that conducts its run; the next start of one settles it"
    parts = [] if one.sign_of_life is None else [f"last sign of life {ago(one.sign_of_life, now)}"]
    if one.state is State.STOPPING:
        parts.append("it was asked to end and has not")
    elif one.deadline is not None and one.deadline <= now:
        parts.append("past its timeout, so it is being ended")
    elif one.silent_by is not None:
        left = format_duration(max(1, (one.silent_by - now) // 1000))
        parts.append("it is being ended" if one.silent_by <= now else f"it has failed if none comes within {left}")
    return ", ".join(parts)


def _document(one: Stuck, name: str, *, watch: bool, now: int) -> dict[str, Any]:
    def moment(ms: int | None) -> str | None:
        return None if ms is None else iso(ms)

    return {
        "run": one.run,
        "workflow": name,
        "agent": one.agent,
        "state": one.state,
        "sign_of_life": moment(one.sign_of_life),
        "silent_by": moment(one.silent_by),
        "deadline": moment(one.deadline),
        "why": _why(one, watch=watch, now=now),
    }
