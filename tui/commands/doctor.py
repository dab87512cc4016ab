"""`midwatch doctor`: what is here, what is healthy, what this system lacks, and what cannot be told.

`--json`: `{"clis": […], "record": {…}, "system": {…}, "watch": {…}, "terminal": {…}, "problems": ["…"]}`, the watch as
in `watch --status --json`, sizes in bytes; `null` is not known. Leaves with 7 when the record is not healthy.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from harness.size import format_size
from store.paths import Places
from tui.commands.checkup import Checkup, cli_facts, record_facts, system_facts, terminal_facts
from tui.commands.options import describe
from tui.commands.table import table
from tui.commands.watch import facts_of, sentences
from tui.statuses import Status
from tui.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "Agent CLIs, the record's health, what this system lacks.", "midwatch doctor")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Looks at everything, whatever is wrong with one thing."""
    places = Places.of_environment()
    checkup = Checkup()
    facts = {
        "clis": cli_facts(places, checkup),
        "record": record_facts(places, checkup),
        "system": system_facts(places, checkup),
        "watch": checkup.attempt(lambda: facts_of(places)),
        "terminal": terminal_facts(terminal, checkup),
        "problems": checkup.problems,
    }
    if arguments.json:
        terminal.document(facts)
    else:
        for line in _report(terminal, facts):
            terminal.line(line)
    return Status.OK if checkup.record_is_healthy else Status.FAILED


def _report(terminal: Terminal, facts: dict[str, Any]) -> Iterator[str]:
    yield terminal.paint("agent CLIs", "bold")
    yield from table(
        terminal,
        [_cli_row(cli) for cli in facts["clis"]],
        header=("CLI", "VERSION", "TESTED", "SIGNS IN WITH", "WHERE"),
        gives=(4, 3),
        indent="  ",
    )
    for cli in facts["clis"]:
        if cli["path"] is not None:
            for limit in cli["limits"]:
                yield from terminal.wrapped(f"{cli['name']}: {limit}", "  ")
    for title in ("record", "system", "terminal"):
        yield ""
        yield terminal.paint(title, "bold")
        for name, value in facts[title].items():
            yield from terminal.wrapped(f"{name.replace('_', ' ')}: {_said(name, value)}", "  ")
    yield ""
    yield terminal.paint("watch", "bold")
    for sentence in sentences(facts["watch"]) if facts["watch"] else ["unknown"]:
        yield from terminal.wrapped(sentence, "  ")
    yield ""
    yield terminal.paint("problems", "bold")
    for problem in facts["problems"] or ["none found"]:
        yield from terminal.wrapped(one_line(problem), "  ")


def _cli_row(cli: dict[str, Any]) -> tuple[str, ...]:
    if cli["path"] is None:
        return (one_line(cli["name"]), "not found", cli["tested"], "", "")
    credential = cli["credential"]
    signs_in = "unknown" if credential is None else f"{credential['method']}, {credential['place']}"
    return (
        one_line(cli["name"]),
        one_line(cli["version"] or "unknown"),
        cli["tested"],
        one_line(signs_in),
        one_line(cli["path"]),
    )


def _said(name: str, value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name in ("size", "free_space"):
        return format_size(value)
    return one_line(str(value))
