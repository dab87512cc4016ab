"""The `midwatch` command: finds the sub-command, runs it, and makes a sentence and a status of what goes wrong."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from contextlib import suppress

from tui.commands.registry import COMMANDS, family
from tui.commands.terminal import Terminal
from tui.errors import WrongUsage
from tui.statuses import Status

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from typing import NoReturn

_WIDEST_HELP = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; answers with its exit status. Nothing but a status ever leaves it."""
    terminal = Terminal.of_process()
    try:
        status = _command(list(sys.argv[1:] if argv is None else argv), terminal)
        terminal.flush()
    except SystemExit as leaving:  # argparse, after --help
        status = int(leaving.code or 0)
    except BrokenPipeError:
        status = Status.PIPE_CLOSED
    except BaseException as error:
        from tui.failures import explain

        sentence, status = explain(error)
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
    command = family(word)
    parser = _Parser(
        prog=f"midwatch {word}",
        allow_abbrev=False,
        add_help=False,
        # With a width of its own it need not import shutil to ask for one.
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=min(terminal.width or 80, _WIDEST_HELP)),
    )
    command.configure(parser, word)
    parser.add_argument("--json", action="store_true", help="for machines: UTC times, null for what is not known")
    parser.add_argument("-h", "--help", action="help", help="show this and leave")
    arguments = parser.parse_intermixed_args(rest)
    arguments.command = word
    return command.run(arguments, terminal)


class _Parser(ArgumentParser):
    """Says in one line what is wrong and where help is."""

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see `{self.prog} --help`")


def _screen(terminal: Terminal) -> int:
    if not (terminal.interactive and sys.stdin.isatty()):
        raise WrongUsage("the screen needs a terminal; `midwatch --help` lists the commands that do not")
    from store.paths import Places
    from tui.app import run_app

    return run_app(Places.of_environment(os.environ))


def _overview() -> list[str]:
    width = max(len(f"{name} {takes}") for name, (_, takes, _) in COMMANDS.items())
    return [
        "midwatch runs workflows of coding agents and tells the truth about them.",
        "",
        "  midwatch                     open the screen",
        "  midwatch COMMAND --help      what a command takes, with an example",
        "",
        *(f"  {f'{name} {takes}':{width}}  {does}" for name, (_, takes, does) in COMMANDS.items()),
        "",
        "RUN is an id, a unique beginning of one, or @ for the newest; WORKFLOW is a",
        "name or a path. Every command takes --json. Exit statuses: 0 completed or done,",
        "1 completed with failures, 2 wrong usage, 3 not accepted, 4 blocked, 5 stopped,",
        "6 not found, 7 midwatch or its record failed, 8 refused, 9 audit found a",
        "difference, 10 not finished yet.",
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
