"""What a shell offers when a person presses tab: commands and options, and out of the record runs, agents, workflows.

argcomplete speaks the protocols of bash, zsh and fish; what may stand in a place goes by the name that its help shows.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
from argparse import Action, Namespace, _SubParsersAction
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.paths import Places
from tui.commands.registry import COMMANDS
from tui.errors import NotFound

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator, Mapping
    from typing import NoReturn

_OFFERED = 50  # runs, newest first


def complete() -> NoReturn:
    """Answers the shell and leaves; the words typed so far stand in the environment, as argcomplete has them."""
    import argcomplete

    from tui.commands.parsers import whole_parser

    try:
        words = shlex.split(os.environ.get("COMP_LINE", ""))
    except ValueError:  # a quotation that is still open
        words = os.environ.get("COMP_LINE", "").split()
    parser = whole_parser(*(word for word in words[1:2] if word in COMMANDS))
    for command in _commands(parser):
        for action in command._actions:
            offer = _OFFERS.get(str(action.metavar))
            if offer is not None:
                action.completer = offer  # type: ignore[attr-defined]  # argcomplete's way of being told
    argcomplete.autocomplete(parser, always_complete_options=False)
    raise SystemExit(1)


def _commands(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            yield from action.choices.values()


def _runs(prefix: str, action: Action, parser: ArgumentParser, parsed_args: Namespace) -> Mapping[str, str]:
    """The newest runs, each with what it is."""
    from store.views import run_lines
    from tui.commands.reading import reading
    from tui.wording import short, word

    found = {"@": "the newest"}
    with suppress(StoreError, sqlite3.Error), reading(Places.of_environment()) as connection:
        for line in run_lines(connection, limit=_OFFERED) if connection is not None else ():
            found[line.id if len(prefix) > len(short(line.id)) else short(line.id)] = (
                f"{line.name}, {word(line.outcome or line.state)}"
            )
    return found


def _agents(prefix: str, action: Action, parser: ArgumentParser, parsed_args: Namespace) -> Mapping[str, str]:
    """The agents of the run that stands before."""
    from store.views import load_run
    from tui.commands.reading import reading_run
    from tui.wording import word

    reference = getattr(parsed_args, "reference", None)
    if not isinstance(reference, str):
        return {}
    with (
        suppress(StoreError, NotFound, sqlite3.Error),
        reading_run(Places.of_environment(), reference) as (connection, run),
    ):
        return {one.name: word(one.state) for one in load_run(connection, run).delegations.values()}
    return {}


def _workflows(prefix: str, action: Action, parser: ArgumentParser, parsed_args: Namespace) -> Mapping[str, str]:
    """The workflows that can be named from here, and the files that can."""
    from argcomplete.completers import FilesCompleter

    from harness.errors import HarnessError
    from harness.settings import load_settings
    from harness.workflow_search import find_workflows

    found = dict.fromkeys(FilesCompleter(allowednames=("toml",))(prefix), "")
    with suppress(HarnessError, OSError):
        places = Places.of_environment()
        for one in find_workflows(places, Path.cwd(), load_settings(places.settings)):
            found[one.name] = (one.workflow.description if one.workflow is not None else None) or ""
    return found


_OFFERS = {"RUN": _runs, "AGENT": _agents, "WORKFLOW": _workflows}
