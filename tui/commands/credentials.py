"""`midwatch credentials [clear KEY|test KEY]`: what the watch remembers of credentials that do not work (K1, K3, K6).

`--json`: a list of `{"key", "standing", "cli", "since", "run", "agent", "attempt", "message", "resets_at"}`; `standing`
is `held` (its CLI is trying again), `died` or `limited`. After `clear`: `{"key", "cleared"}`; after `test`: `{"key",
"passed", "message"}`, with exit status 1 when it did not pass. Nothing of a secret is in a key.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from store.credentials import Remembered, Standing, remembered
from store.ids import now_ms
from store.paths import Places
from tui.commands.options import describe
from tui.commands.reading import reading
from tui.errors import NotFound, WrongUsage
from tui.statuses import Status
from tui.text import one_line
from tui.wording import ago, iso, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.commands.terminal import Terminal

STANDING = {
    Standing.HELD: "is being tried again",
    Standing.DIED: "signing in failed",
    Standing.LIMITED: "limit reached",
}


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        (
            "Credentials that failed and are remembered: no agent is launched on one until it is changed, cleared, or a"
            " test of it passes. The memory ends with the watch."
        ),
        "midwatch credentials",
        "midwatch credentials clear 'anthropic:api key:ANTHROPIC_API_KEY:1f2e3d4c5b6a'",
        "midwatch credentials test 'anthropic:api key:ANTHROPIC_API_KEY:1f2e3d4c5b6a'",
    )
    parser.add_argument(
        "verb",
        metavar="VERB",
        nargs="?",
        choices=("clear", "test"),
        help="clear: forget it; test: one short request by its CLI, which is paid for, and forget it if that passes",
    )
    parser.add_argument("key", metavar="KEY", nargs="?", help="as listed, or a unique beginning of it")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Lists them, or settles one."""
    places = Places.of_environment()
    known = _remembered(places)
    if arguments.verb is None:
        return _list(known, arguments, terminal)
    from tui.commands.manners import only_for_a_person

    only_for_a_person(f"credentials {arguments.verb}")
    if arguments.key is None:
        raise WrongUsage(f"`midwatch credentials {arguments.verb}` needs a key; `midwatch credentials` lists them")
    one = _named(known, arguments.key)
    if arguments.verb == "test":
        return _test(places, one, arguments, terminal)
    from harness import requests

    requests.forget(places, one.key)
    if arguments.json:
        terminal.document({"key": one.key, "cleared": True})
    else:
        terminal.line(f"{one_line(one.key)} is forgotten; agents may be launched on it again")
    return Status.OK


def _remembered(places: Places) -> Sequence[Remembered]:
    with reading(places) as connection:
        return [] if connection is None else remembered(connection)


def _named(known: Sequence[Remembered], key: str) -> Remembered:
    found = [one for one in known if one.key == key] or [one for one in known if one.key.startswith(key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise WrongUsage(f"'{one_line(key)}' begins {len(found)} keys; say more of it")
    raise NotFound(f"nothing is remembered of a credential '{one_line(key)}'; `midwatch credentials` lists what is")


def _test(places: Places, one: Remembered, arguments: Namespace, terminal: Terminal) -> int:
    from harness import requests
    from harness.sign_in_test import try_credential

    if not arguments.json:
        terminal.note(f"asking {one.cli} for one word, which is paid for")
    problem = try_credential(places, one)
    if problem is None:
        requests.forget(places, one.key, "a test of it passed")
    if arguments.json:
        terminal.document({"key": one.key, "passed": problem is None, "message": problem})
    elif problem is None:
        terminal.line(f"{one_line(one.key)} works; agents may be launched on it again")
    else:
        terminal.line(f"{one_line(one.key)} does not work: {one_line(problem)}")
    return Status.OK if problem is None else Status.WITH_FAILURES


def _list(known: Sequence[Remembered], arguments: Namespace, terminal: Terminal) -> int:
    if arguments.json:
        terminal.document([_document(one) for one in known])
        return Status.OK
    if not known:
        terminal.note("nothing is remembered as failing")
    for one in known:
        where = f"{one.agent or '?'} of run {short(one.run or '?')}"
        resets = "" if one.resets_at is None else f", resets at {one_line(one.resets_at)}"
        terminal.line(one_line(one.key))
        found = f"found by {one_line(where)}, {ago(one.at, now_ms())}"
        terminal.line(f"  {one.cli}: {STANDING[one.standing]}{resets}; {found}")
        terminal.line(f"  {one_line(one.message)}")
    return Status.OK


def _document(one: Remembered) -> dict[str, object]:
    return {
        "key": one.key,
        "standing": str(one.standing),
        "cli": one.cli,
        "since": iso(one.at),
        "run": one.run,
        "agent": one.agent,
        "attempt": one.attempt,
        "message": one.message,
        "resets_at": one.resets_at,
    }
