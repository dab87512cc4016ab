"""`midwatch events RUN`: what happened in a run, in the order of the record.

`--json`: a list of `{"seq", "id", "at", "run", "agent", "type", "from", "to", "data"}`, as the contract fixes it.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from store.ids import now_ms
from store.log import events_of
from store.paths import Places
from tui.commands.document import of_event
from tui.commands.options import RUN, describe
from tui.commands.reading import reading_run
from tui.statuses import Status
from tui.text import clip, one_line, pad
from tui.wording import clock, dollars, elapsed

if TYPE_CHECKING:
    from store.log import Stored
    from tui.commands.terminal import Terminal

_LONG = frozenset({"plan", "environment", "digest", "inputs"})  # of a launch; `show` and --json have them
_MOMENTS = frozenset({"deadline", "until"})  # ms
_MONEY = frozenset({"cost", "estimated"})  # nano-dollars
_AGENT_CELLS = 12
_VALUE_CELLS = 60


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "What happened in a run, in order.", "midwatch events @ --json | jq -r '.[].type'")
    parser.add_argument("reference", metavar="RUN", help=RUN)


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints them one by one: a run may have very many."""
    with reading_run(Places.of_environment(), arguments.reference) as (connection, found):
        events = events_of(connection, found)
        if not arguments.json:
            now, nothing = now_ms(), True
            for event in events:
                nothing = False
                terminal.line(_line(event, terminal.width, now))
            if nothing:
                terminal.note("the events of this run are not kept any more; `midwatch show` says why")
            return Status.OK
        terminal.documents(of_event(event) for event in events)
    return Status.OK


def _line(event: Stored, width: int | None, now: int) -> str:
    change = f"-> {event.to_state}" if event.type.startswith("delegation.") and event.to_state else ""
    data = " ".join(_said(event, name, value, now) for name, value in event.data.items() if name not in _LONG)
    parts = (
        f"{event.seq:>5}",
        clock(event.at, now, seconds=True),
        pad(one_line(event.agent or ""), _AGENT_CELLS),
        f"{event.type:<22}",
        change,
        one_line(data),
    )
    line = "  ".join(part for part in parts if part).rstrip()
    return line if width is None else clip(line, width)


def _said(event: Stored, name: str, value: object, now: int) -> str:
    if name in _MOMENTS and isinstance(value, int):
        return f"{name} {clock(value, now, seconds=True)} (in {elapsed(value - event.at)})"
    if name == "counts" and isinstance(value, dict):
        return " ".join(
            f"{counter}={dollars(count) if counter in _MONEY else count}" for counter, count in value.items()
        )
    if name == "wave" and isinstance(value, int):
        return f"wave={value + 1}"
    return f"{name}={_short(value)}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clip(one_line(text), _VALUE_CELLS)
