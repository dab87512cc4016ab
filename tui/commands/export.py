"""`midwatch export RUN`: one run as one document, to keep or to send, with what looks like a secret masked.

JSON: `{"midwatch", "exported_at", "run", "answers", "events"}`: `run` is what `show --json` has, `answers` a list of
`{"agent", "attempt", "bytes", "text"}` (`text` is `null` where an answer is over a MiB or its journal is gone),
`events` what `events --json` has. Markdown: a report for a person.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from harness.masking import mask, secret_values
from store.ids import now_ms
from store.log import events_of
from store.paths import Places
from store.views import harness_paused, load_run, run_line
from tui.answers import answer_of
from tui.commands.document import of_event, of_run
from tui.commands.options import RUN, describe
from tui.commands.reading import reading_run, watched
from tui.standing import run_status
from tui.statuses import Status
from tui.wording import counted, iso

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from store.log import Stored
    from tui.commands.terminal import Terminal

_PROGRESS_EVERY = 10_000  # events


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "One run as one document, to keep or to send: outcome, waves, verdicts, cost, failures and answers.\n"
        "Values of this environment that look like secrets are masked.",
        "midwatch export @ --format md > report.md",
        "midwatch export 7f3a > run.json",
    )
    parser.add_argument("reference", metavar="RUN", help=RUN)
    parser.add_argument("--format", choices=("json", "md"), default=None, help="json (unless said) or Markdown")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Writes it to standard output."""
    if arguments.json and arguments.format == "md":
        from tui.errors import WrongUsage

        raise WrongUsage("--json and --format md cannot both hold")
    places = Places.of_environment()
    secrets = secret_values(os.environ)
    with reading_run(places, arguments.reference) as (connection, found):
        shown, dropped = load_run(connection, found), run_line(connection, found).dropped
        status = run_status(shown, watched=shown.live and watched(places), harness_paused=harness_paused(connection))
        answers = {one.name: answer_of(places, found, one) for one in shown.delegations.values()}
        if arguments.format == "md":
            from tui.report import report

            terminal.line(mask(report(shown, status, answers, dropped=dropped), secrets))
            return Status.OK
        head: dict[str, Any] = {
            "midwatch": _version(),
            "exported_at": iso(now_ms()),
            "run": of_run(shown, status, {}, dropped=dropped),
            "answers": [
                {"agent": name, "attempt": answer.attempt, "bytes": answer.bytes, "text": answer.text}
                for name, answer in answers.items()
                if answer is not None
            ],
        }
        _write(terminal, head, events_of(connection, found), lambda text: mask(text, secrets))
    return Status.OK


def _write(terminal: Terminal, head: dict[str, Any], events: Iterator[Stored], masked: Callable[[str], str]) -> None:
    """One document, its events one by one: a run may have very many."""
    terminal.line("{")
    for name, value in head.items():
        terminal.line(f" {json.dumps(name)}: {json.dumps(_each_text(value, masked))},")
    terminal.line(' "events":')
    terminal.documents(_each_text(of_event(event), masked) for event in _counted(events, terminal))
    terminal.line("}")


def _counted(events: Iterator[Stored], terminal: Terminal) -> Iterator[Stored]:
    """The events, with a word now and then to a person who waits for very many."""
    watching = sys.stderr is not None and sys.stderr.isatty() and not terminal.interactive
    for number, event in enumerate(events, 1):
        if watching and number % _PROGRESS_EVERY == 0:
            terminal.note(f"{counted(number, 'event')} written")
        yield event


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text in it changed; names of fields stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_text(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _each_text(one, change) for name, one in value.items()}
    return value


def _version() -> str:
    from importlib.metadata import version

    return version("midwatch")
