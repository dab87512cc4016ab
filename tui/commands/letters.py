"""`midwatch letters [retry ID|drop ID]`: what no consumer would take, and what was refused because it did not apply.

`--json`: a list, newest first, of `{"id", "at", "kind", "consumer", "run", "agent", "type", "why", "state", "data"}`;
`kind` is `undelivered` or `refused`. After `retry` or `drop`: `{"id", "state"}`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from store.errors import LetterNotFound
from store.ids import now_ms
from store.letters import Kind, Letter, LetterState, find_letter, open_letters
from store.paths import Places
from tui.commands.options import describe
from tui.commands.reading import reading
from tui.errors import NotFound, Refused, WrongUsage
from tui.statuses import Status
from tui.text import one_line
from tui.wording import ago, iso, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.commands.terminal import Terminal

_VERBS = ("retry", "drop")
_SHOWN = 1_000


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "Dead letters: events that a notice command or webhook never took, and transitions that were refused.",
        "midwatch letters",
        "midwatch letters retry 7f3a",
        "midwatch letters drop 7f3a",
    )
    parser.add_argument(
        "verb", metavar="VERB", nargs="?", choices=_VERBS, help="retry: try it again; drop: put it away"
    )
    parser.add_argument("letter", metavar="ID", nargs="?", help="a letter's id, or a unique beginning of one")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Lists them, or asks the watch to change one."""
    places = Places.of_environment()
    if arguments.verb is None:
        return _list(places, arguments, terminal)
    return _change(places, arguments, terminal)


def _change(places: Places, arguments: Namespace, terminal: Terminal) -> int:
    from harness import requests
    from tui.commands.manners import only_for_a_person

    if arguments.letter is None:
        raise WrongUsage(f"`midwatch letters {arguments.verb}` needs the id of a letter; `midwatch letters` lists them")
    only_for_a_person(f"letters {arguments.verb}")
    letter = _find(places, arguments.letter)
    _expect_open(letter, arguments.verb)
    answer = requests.ask(places, arguments.verb, {"letter": letter.id})
    if arguments.json:
        terminal.document({"id": letter.id, "state": answer.facts["state"]})
    else:
        terminal.line(_done(letter, arguments.verb))
    return Status.OK


def _find(places: Places, reference: str) -> Letter:
    with reading(places) as connection:
        if connection is None:
            raise NotFound(str(LetterNotFound(reference)))
        try:
            return find_letter(connection, reference)
        except LetterNotFound as problem:
            raise NotFound(str(problem)) from None


def _expect_open(letter: Letter, verb: str) -> None:
    """What cannot apply is refused here, without starting a watch for it."""
    asked = LetterState.RETRIED if verb == "retry" else LetterState.DROPPED
    if letter.state not in (LetterState.OPEN, asked):
        what = "dropped" if letter.state is LetterState.DROPPED else "tried again, and has not come back"
        raise Refused(f"the letter {letter.id} was {what}")


def _done(letter: Letter, verb: str) -> str:
    if verb == "drop":
        return f"the letter {one_line(letter.id)} is put away"
    if letter.kind is Kind.UNDELIVERED:
        return f"{letter.type} is on its way to the {letter.consumer} again"
    return f"{letter.type} applied now"


def _list(places: Places, arguments: Namespace, terminal: Terminal) -> int:
    letters: list[Letter] = []
    with reading(places) as connection:
        if connection is not None:
            letters = open_letters(connection, limit=_SHOWN)
    if arguments.json:
        terminal.document([_document(one) for one in letters])
        return Status.OK
    if not letters:
        terminal.line("no dead letters: everything was taken, and nothing was refused")
        return Status.OK
    now = now_ms()
    for one in letters:
        terminal.lines(_lines(terminal, one, now))
    if len(letters) == _SHOWN:
        terminal.note(f"the newest {_SHOWN:,} are shown")
    terminal.note("`midwatch letters retry ID` tries one again; `midwatch letters drop ID` puts it away")
    return Status.OK


def _lines(terminal: Terminal, letter: Letter, now: int) -> Iterator[str]:
    kind = f"not taken by the {letter.consumer}" if letter.kind is Kind.UNDELIVERED else "refused"
    yield f"{terminal.paint(one_line(letter.id), 'bold')}  {one_line(kind)}  {ago(letter.at, now)}"
    about = one_line(letter.type)
    if letter.agent is not None:
        about += f"  agent {one_line(letter.agent)}"
    if letter.run is not None:
        about += f"  run {short(one_line(letter.run))}"
    yield f"  {about}"
    yield from terminal.wrapped(one_line(letter.why), "  ")


def _document(letter: Letter) -> dict[str, Any]:
    return {
        "id": letter.id,
        "at": iso(letter.at),
        "kind": letter.kind,
        "consumer": letter.consumer,
        "run": letter.run,
        "agent": letter.agent,
        "type": letter.type,
        "why": letter.why,
        "state": letter.state,
        "data": letter.data,
    }
