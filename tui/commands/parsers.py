"""Argument parsers: of the one command that was given, and of all of them for completion and the manual page."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter

from tui.commands.registry import COMMANDS, family
from tui.errors import WrongUsage

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from typing import NoReturn

_WIDEST_HELP = 100

OVERVIEW = "midwatch runs workflows of coding agents and tells the truth about them."
STATUSES = (
    "RUN is an id, a unique beginning of one, or @ for the newest; WORKFLOW is a name or a path. Every command takes"
    " --json. Exit statuses of `run` and of `show --exit-status`: 0 completed, 1 completed with failures,"
    " 3 not accepted, 4 blocked, 5 stopped, 10 not finished yet. Of every command: 0 it did what was asked,"
    " 2 wrong usage or an invalid file, 6 not found, 7 midwatch or its record failed, 8 refused, 9 audit found a"
    " difference."
)


class Parser(ArgumentParser):
    """Says in one line what is wrong and where help is."""

    def error(self, message: str) -> NoReturn:
        """Raises `WrongUsage`."""
        raise WrongUsage(f"{message}; see `{self.prog} --help`")


def parser_of(command: str, width: int | None) -> Parser:
    """The parser of one command; its help fits into `width` cells."""
    parser = Parser(
        prog=f"midwatch {command}",
        allow_abbrev=False,
        add_help=False,
        # With a width of its own it need not import shutil to ask for one.
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, width=min(width or 80, _WIDEST_HELP)),
    )
    _configure(parser, command)
    return parser


def whole_parser(*commands: str) -> Parser:
    """The parser of the whole program; of its commands only `commands` are imported and know what they take.

    A man page asks for all of them, completion for the one that is being typed.
    """
    parser = Parser(prog="midwatch", description=OVERVIEW, epilog=STATUSES, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="list the commands and leave")
    parser.add_argument("-V", "--version", action="version", version="", help="show the version and leave")
    below = parser.add_subparsers(metavar="COMMAND")
    for name, (_, _, does) in COMMANDS.items():
        command = below.add_parser(
            name, help=does, allow_abbrev=False, add_help=False, formatter_class=RawDescriptionHelpFormatter
        )
        if name in commands:
            _configure(command, name)
    return parser


def _configure(parser: ArgumentParser, command: str) -> None:
    family(command).configure(parser, command)
    parser.add_argument("--json", action="store_true", help="for machines: UTC times, null for what is not known")
    parser.add_argument("-h", "--help", action="help", help="show this and leave")
