"""The `midwatch` command: finds the sub-command, runs it, and makes a sentence and a status of what goes wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from tui.commands.registry import COMMANDS, family
from tui.commands.terminal import Terminal
from tui.errors import WrongUsage
from tui.statuses import Status

_COMPLETING = "_ARGCOMPLETE"  # argcomplete's own name for it


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; answers with its exit status. Nothing but a status ever leaves it."""
    if _COMPLETING in os.environ:
        from tui.completing import complete

        complete()
    terminal = Terminal.of_process()
    try:
        status = _command(list(sys.argv[1:] if argv is None else argv), terminal)
        terminal.flush()
    except SystemExit as leaving:  # argparse, after --help
        status = int(leaving.code or 0)
    except BrokenPipeError:
        status = Status.PIPE_CLOSED
    except BaseException as error:
        from tui.failures import explain_all

        told, status = explain_all(error)
        for sentence in told:
            _say(sentence)
    return _let_go(terminal, status)


def _command(words: list[str], terminal: Terminal) -> int:
    if not words:
        return _screen(terminal)
    word, rest = words[0], words[1:]
    if word == "help":
        word, rest = (rest[0], ["--help"]) if rest else ("--help", [])
    if word in ("-h", "--help"):
        terminal.lines(_overview())
        return Status.OK
    if word in ("-V", "--version"):
        from importlib.metadata import version

        terminal.line(f"midwatch {version('midwatch')}")
        return Status.OK
    if word not in COMMANDS:
        from harness.nearest import nearest, quoted

        near = nearest(word, COMMANDS)
        hint = f"did you mean '{near}'?" if near else "`midwatch --help` lists the commands"
        raise WrongUsage(f"there is no {'option' if word.startswith('-') else 'command'} {quoted(word)}; {hint}")
    from tui.commands.parsers import parser_of

    arguments = parser_of(word, terminal.width).parse_intermixed_args(rest)
    arguments.command = word
    return family(word).run(arguments, terminal)


def _screen(terminal: Terminal) -> int:
    from tui.app import IN_BROWSER, run_app

    if IN_BROWSER not in os.environ and not (terminal.interactive and sys.stdin.isatty()):
        raise WrongUsage("the screen needs a terminal; `midwatch --help` lists the commands that do not")
    from store.paths import Places

    return run_app(Places.of_environment(os.environ))


def _overview() -> list[str]:
    from tui.commands.parsers import OVERVIEW, STATUSES
    from tui.text import wrapped

    width = max(len(f"{name} {takes}") for name, (_, takes, _) in COMMANDS.items())
    return [
        OVERVIEW,
        "",
        "  midwatch                     open the screen",
        "  midwatch COMMAND --help      what a command takes, with an example",
        "",
        *(f"  {f'{name} {takes}':{width}}  {does}" for name, (_, takes, does) in COMMANDS.items()),
        "",
        *wrapped(STATUSES, 80),
    ]


def _let_go(terminal: Terminal, status: int) -> int:
    """Writes what is still buffered; where nobody takes it, it goes nowhere, so that the interpreter is quiet too."""
    try:
        terminal.flush()
    except OSError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        return Status.PIPE_CLOSED if isinstance(error, BrokenPipeError) else status or Status.FAILED
    return status


def _say(sentence: str) -> None:
    with suppress(OSError, ValueError, AttributeError):  # nobody may be listening, or standard error be closed
        sys.stderr.write(f"midwatch: {sentence}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
