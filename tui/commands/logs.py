"""`midwatch logs RUN [AGENT]`: what agents printed: their standard output here, their standard error on ours.

Shown as a person reads it, and harmless; `--raw` gives one agent's bytes as they are, to a file or a program only.
`--json`: `{"agent", "attempt", "stream": "out|err", "line"}` of every line as it was printed: a list, or with `-f` one
object a line.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from store.paths import Places
from store.views import load_run
from tui.commands.journals import Journals, Piece
from tui.commands.options import RUN, describe, name
from tui.commands.reading import reading_run
from tui.errors import NotFound, WrongUsage
from tui.output import Output
from tui.statuses import Status
from tui.text import cells, harmless_bytes, one_line, pad

if TYPE_CHECKING:
    from store.run import Run
    from tui.commands.terminal import Terminal

_NAME_CELLS = 24


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "What agents printed: of AGENT, or of all, each line after its agent's name.",
        "midwatch logs @ -f",
        "midwatch logs 7f3a api --raw > api.log",
    )
    parser.add_argument("reference", metavar="RUN", help=RUN)
    parser.add_argument("agent", metavar="AGENT", type=name, nargs="?", help="one agent of the run")
    parser.add_argument("-f", "--follow", action="store_true", help="go on until what is shown has ended")
    parser.add_argument("--raw", action="store_true", help="the bytes as they are, of one agent, not to a terminal")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints them."""
    places = Places.of_environment()
    with reading_run(places, arguments.reference) as (connection, found):
        shown = load_run(connection, found)
    if arguments.agent is not None and arguments.agent not in shown.delegations:
        from harness.nearest import quoted, suggestion

        near = suggestion(arguments.agent, list(shown.delegations))
        raise NotFound(f"run {shown.id} has no agent {quoted(arguments.agent)}; {near}")
    journals = Journals(places, shown, arguments.agent)
    if arguments.raw:
        _refuse_raw(arguments, terminal, shown)
        _print_raw(terminal, journals, follow=arguments.follow)
    elif arguments.json and arguments.follow:
        for piece in journals.lines(follow=True):
            terminal.item(_document(piece))
    elif arguments.json:
        terminal.documents(_document(piece) for piece in journals.lines(follow=False))
    else:
        _print(terminal, journals, shown, one=arguments.agent is not None, follow=arguments.follow)
    return Status.OK


def _print(terminal: Terminal, journals: Journals, run: Run, *, one: bool, follow: bool) -> None:
    width = min(_NAME_CELLS, max((cells(one_line(name)) for name in run.delegations), default=0))
    outputs: dict[tuple[str, int], Output] = {}
    nothing = True
    for piece in journals.lines(follow=follow):
        nothing = False
        if piece.stream == "err":
            shown = [harmless_bytes(piece.content)]
        else:
            key = (piece.agent, piece.attempt)
            if key not in outputs:
                outputs[key] = Output(run.plan.agent(piece.agent))
            shown = outputs[key].lines(piece.content)
        _write(terminal, piece, shown, None if one else width)
    for (agent, attempt), output in outputs.items():
        _write(terminal, Piece(agent, attempt, "out", b""), output.end(), None if one else width)
    if journals.unsettled:
        terminal.note("midwatch: no watch lives, so nothing more comes; the run is unsettled")
    elif nothing:
        terminal.note("nothing was printed, or nothing of it is kept")


def _write(terminal: Terminal, piece: Piece, shown: list[str], width: int | None) -> None:
    for text in shown:
        line = text if width is None else f"{terminal.paint(pad(one_line(piece.agent), width), 'cyan')} | {text}"
        if piece.stream == "out":
            terminal.line(line)
        else:
            terminal.note(line)
    terminal.flush()


def _document(piece: Piece) -> dict[str, Any]:
    line = piece.content.decode("utf-8", "replace")
    return {"agent": piece.agent, "attempt": piece.attempt, "stream": piece.stream, "line": line}


def _refuse_raw(arguments: Namespace, terminal: Terminal, run: Run) -> None:
    if arguments.json:
        raise WrongUsage("--raw and --json cannot both hold")
    if arguments.agent is None and len(run.delegations) > 1:
        raise WrongUsage("--raw needs one AGENT, so that the bytes of several do not mix")
    if terminal.interactive:
        raise WrongUsage(
            "--raw would let the agent drive this terminal; send it to a file or a program, as in --raw > FILE"
        )


def _print_raw(terminal: Terminal, journals: Journals, *, follow: bool) -> None:
    out = terminal.bytes_out()
    for piece in journals.pieces(follow=follow):
        if piece.stream == "out":
            out.write(piece.content)
            out.flush()
        elif sys.stderr.isatty():
            terminal.note(harmless_bytes(piece.content))
        else:
            sys.stderr.buffer.write(piece.content)
            sys.stderr.buffer.flush()
