"""`midwatch watch`: the process that conducts the runs. Without a flag it is started, if none lives, and shown.

`--json`: `{"running", "pid", "started_at", "record", "live_runs", "survives_logout", "why"}` as the contract fixes it,
and `"grace_s"`, `"grace_why"`: the seconds that the system gives it when it goes down; `null`: not known, or no end;
with `--stop`: `{"stopped": true}`, false when none lived.
"""

from __future__ import annotations

import math
import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from harness.duration import format_duration
from store.paths import Places
from tui.commands.options import describe
from tui.errors import Refused
from tui.statuses import Status
from tui.text import one_line

if TYPE_CHECKING:
    from harness.lock import Holder
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "The process that conducts the runs. Whatever needs it starts it; it leaves when nothing is live.",
        "midwatch watch --status",
        "midwatch watch --foreground",
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--foreground", action="store_true", help="be the watch, here, until it is told to end")
    ways.add_argument("--stop", action="store_true", help="end it; what is live is recorded as interrupted")
    ways.add_argument("--status", action="store_true", help="say whether it lives, and start nothing")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Starts, shows, ends or is the watch."""
    places = Places.of_environment()
    if arguments.foreground:
        return _foreground(places)
    if arguments.stop:
        return _stop(places, terminal, json=arguments.json)
    if not arguments.status:
        from harness.requests import ensure_watch

        places.prepare()
        ensure_watch(places)
    facts = facts_of(places)
    if arguments.json:
        terminal.document(facts)
    else:
        for sentence in sentences(facts):
            terminal.lines(terminal.wrapped(sentence))
    return Status.OK


def _foreground(places: Places) -> int:
    from harness.__main__ import main
    from harness.lock import holder

    other = holder(places.watch_lock)
    if other is not None:
        raise Refused(f"a watch lives already (pid {other.pid}); `midwatch watch --stop` ends it")
    return main(stays=True)


def _stop(places: Places, terminal: Terminal, *, json: bool) -> int:
    from harness.requests import stop_watch

    stopped = stop_watch(places)
    if json:
        terminal.document({"stopped": stopped})
    else:
        terminal.line("the watch has left" if stopped else "no watch lives")
    return Status.OK


def facts_of(places: Places) -> dict[str, Any]:
    """What `watch --status --json` prints. Without a watch, `survives_logout` is about one started from here."""
    from harness.grace import grace
    from harness.lock import holder
    from harness.logout import survival
    from store.views import live_runs
    from tui.commands.reading import reading
    from tui.wording import iso

    found: Holder | None = holder(places.watch_lock)
    live = 0
    with reading(places) as connection:
        if connection is not None:
            live = len(live_runs(connection))
    pid = None if found is None else found.pid
    started = None if found is None else found.facts.get("started_at")
    survives, why = survival(pid if pid is not None else os.getpid())
    seconds, grace_why = grace(pid if pid is not None else os.getpid())
    return {
        "running": found is not None,
        "pid": pid,
        "started_at": iso(started) if isinstance(started, int) else None,
        "record": str(places.record),
        "live_runs": live,
        "survives_logout": survives,
        "why": why,
        "grace_s": None if seconds is None or math.isinf(seconds) else seconds,
        "grace_why": grace_why,
    }


def sentences(facts: dict[str, Any]) -> list[str]:
    """The same for a person."""
    count = f"{facts['live_runs']} {'live' if facts['running'] else 'unsettled'}"
    outlives = {True: "outlives the login", False: "does not outlive the login", None: "may not outlive the login"}
    kept = f"the record is {one_line(facts['record'])}"
    waits = "unknown" if facts["grace_s"] is None else format_duration(facts["grace_s"])
    going_down = f"the system gives it, when it goes down: {waits} ({facts['grace_why']})"
    if facts["running"]:
        return [
            f"the watch lives (pid {facts['pid']}), {count}",
            kept,
            f"it {outlives[facts['survives_logout']]}: {facts['why']}",
            going_down,
        ]
    settles = ", which the next start of one settles" if facts["live_runs"] else ""
    return [
        f"no watch lives, {count}{settles}",
        kept,
        f"one started from here {outlives[facts['survives_logout']]}: {facts['why']}",
        going_down,
    ]
