"""`midwatch recover`, `resume` and `discard`: what was cut off, and what a person makes of it (R8–R13).

`recover --json`: a list of documents as `show --json` prints them, newest first, each with `"interrupted"`: the names
of the agents that were cut off and that nobody has taken up. `resume --json`: `{"run": "…"}`, the new run.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from harness import requests
from store.paths import Places
from store.recovery import cut_off_runs
from tui.commands.document import of_run
from tui.commands.manners import only_for_a_person
from tui.commands.options import RUN, describe, name
from tui.commands.reading import reading, reading_run
from tui.statuses import Status
from tui.text import one_line
from tui.wording import clock, counted, money, short

if TYPE_CHECKING:
    from store.recovery import CutOff, Interrupted
    from tui.commands.terminal import Terminal

_HELP = {
    "recover": ("What was cut off by a crash or a restart and waits for you. Nothing of it runs.", "midwatch recover"),
    "resume": (
        (
            "Take up one agent that was cut off, as a new run whose cost is counted apart. What was in flight when it"
            " broke off may be done, and paid for, again."
        ),
        "midwatch resume @ review",
        "midwatch resume @ review --continue",
    ),
    "discard": (
        "Settle a run that was cut off: nothing of it is offered again; its record and its cost stay.",
        "midwatch discard @",
    ),
}


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, *_HELP[command])
    if command == "recover":
        return
    parser.add_argument("reference", metavar="RUN", help=RUN)
    if command == "resume":
        parser.add_argument("agent", metavar="AGENT", type=name, help="the agent to take up")
        parser.add_argument(
            "--continue", dest="onward", action="store_true", help="go on with the waves after it when it has ended"
        )
        parser.add_argument("--tell", metavar="TEXT", help="what the agent is told, in place of midwatch's own words")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Does it."""
    places = Places.of_environment()
    if arguments.command == "recover":
        return _recover(places, arguments, terminal)
    only_for_a_person(arguments.command)
    with reading_run(places, arguments.reference) as (_, found):
        reference = found
    if arguments.command == "discard":
        requests.discard(places, reference)
        if arguments.json:
            terminal.document({"run": reference})
        else:
            terminal.line(f"run {reference} is settled; its record and its cost stay in the history")
        return Status.OK
    answer = requests.resume(places, reference, arguments.agent, onward=arguments.onward, tell=arguments.tell)
    if arguments.json:
        terminal.document({"run": answer.run})
    else:
        terminal.line(f"{one_line(arguments.agent)} is taken up as run {answer.run}")
    return Status.OK


def _recover(places: Places, arguments: Namespace, terminal: Terminal) -> int:
    requests.settle(places)
    with reading(places) as connection:
        found = [] if connection is None else cut_off_runs(connection)
    if arguments.json:
        from store.model import RunStatus

        terminal.document(
            [
                {
                    **of_run(one.run, RunStatus.FINISHED, {}),
                    "interrupted": [agent.delegation.name for agent in one.agents],
                }
                for one in found
            ]
        )
        return Status.OK
    if not found:
        terminal.line("nothing was cut off")
        return Status.OK
    terminal.line("Nothing of this is running and nothing is being spent. An agent starts again only if you resume it;")
    terminal.line("what was in flight when it broke off may then be done, and paid for, again.")
    for one in found:
        terminal.line("")
        terminal.lines(_lines(one))
    first = found[0]
    terminal.line("")
    terminal.line(
        f"`midwatch resume {short(first.run.id)} {one_line(first.agents[0].delegation.name)}` takes one up; "
        f"`midwatch discard {short(first.run.id)}` settles the run"
    )
    return Status.OK


def _lines(one: CutOff) -> list[str]:
    run = one.run
    kept = ", ".join(part for part in (counted(run.totals.turns, "turn"), money(run.totals)) if part)
    return [
        f"{one_line(run.name)}  run {short(run.id)}  started {clock(run.started_at)}  kept: {kept}",
        *(f"  {_agent(one, agent)}" for agent in one.agents),
    ]


def _agent(one: CutOff, agent: Interrupted) -> str:
    delegation = agent.delegation
    planned = one.run.plan.agent(delegation.name)
    taken = "its session can be taken up" if agent.session else "no session: would start again from its hand-over"
    spent = money(delegation.totals)
    return "  ".join(
        part
        for part in (
            one_line(delegation.name),
            planned.role,
            planned.cli,
            counted(delegation.totals.turns, "turn"),
            spent,
            taken,
        )
        if part
    )
