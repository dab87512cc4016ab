"""`midwatch serve`: the screen in a browser, through textual-serve. Whoever gets in is the person (R21): it says so.

`--json`: `{"address": "…"}`, then it serves.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from tui.commands.manners import only_for_a_person
from tui.commands.options import describe
from tui.errors import WrongUsage
from tui.statuses import Status

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal

_HERE = ("localhost", "127.0.0.1", "::1")
_HIGHEST_PORT = 65535


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "The screen in a browser. Whoever opens the address with its key can do all that you can: launch workflows,"
        "\nstop runs, read every output. It is plain HTTP: reach a remote one by `ssh -L 8000:localhost:8000 BOX`.",
        "midwatch serve --port 8000",
    )
    parser.add_argument("--host", metavar="HOST", default="localhost", help="where to listen (localhost)")
    parser.add_argument("--port", metavar="N", type=_port, default=8000, help="the port (8000)")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Serves until Ctrl-C."""
    only_for_a_person("serve")
    try:
        from tui.web import Web
    except ModuleNotFoundError as missing:
        raise WrongUsage(
            f"the browser needs {missing.name}, which is not installed; `pip install 'midwatch[web]'` gets it"
        ) from missing
    web = Web(arguments.host, arguments.port)
    if arguments.json:
        terminal.item({"address": web.address})
    else:
        terminal.line(f"open {web.address}")
        terminal.note("whoever has this address can do all that you can here: keep it to yourself; Ctrl-C ends it")
        if arguments.host not in _HERE:
            terminal.note(f"{arguments.host} can be reached from outside, unencrypted: others on the way can read it")
    terminal.flush()
    web.serve()
    return Status.OK


def _port(text: str) -> int:
    from argparse import ArgumentTypeError

    if not text.isdecimal() or not 0 < int(text) <= _HIGHEST_PORT:
        raise ArgumentTypeError(f"'{text[:40]}' is no port; it can be 1 to {_HIGHEST_PORT}")
    return int(text)
