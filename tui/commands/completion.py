"""`midwatch completion SHELL`: the lines that make a shell complete midwatch's commands, runs, agents and workflows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from tui.commands.options import describe
from tui.statuses import Status

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal

_SHELLS = ("bash", "zsh", "fish")


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "The lines that make a shell complete midwatch: commands, runs, agents and workflows.",
        'eval "$(midwatch completion bash)"       # in ~/.bashrc; zsh in ~/.zshrc likewise',
        "midwatch completion fish | source        # in ~/.config/fish/config.fish",
    )
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints them."""
    from argcomplete.shell_integration import shellcode

    lines = shellcode(["midwatch"], shell=arguments.shell)
    if arguments.json:
        terminal.document({"shell": arguments.shell, "lines": lines})
    else:
        terminal.line(lines)
    return Status.OK
