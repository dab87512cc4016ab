"""`midwatch runs`: the history of runs, newest launch first.

`--json`: a list of what `show --json` has of each run, without `inputs`, `tally` and `waves`. `--stuck` lists agents
instead, as `tui.commands.stuck` has it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from store.ids import now_ms
from store.paths import Places
from store.views import harness_paused, run_lines
from tui.commands.options import count, describe, moment, outcome, usd
from tui.commands.reading import reading, watched
from tui.standing import run_status
from tui.statuses import Status
from tui.wording import clock, elapsed, money, short, sign, word

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    import sqlite3

    from store.model import RunStatus
    from store.views import RunLine
    from tui.commands.terminal import Terminal

_PAGE = 200
_DROPPED = {"evicted": "detail evicted", "too large": "dropped: too large"}


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "The history of runs, newest first.",
        "midwatch runs --limit 5 --outcome 'not accepted'",
        "midwatch runs --stuck",
    )
    parser.add_argument("--limit", metavar="N", type=count, default=50, help="at most so many (50)")
    parser.add_argument("--workflow", metavar="WORKFLOW", help="only runs of this workflow, a name or a path")
    parser.add_argument("--outcome", metavar="OUTCOME", type=outcome, help="only runs that ended so")
    parser.add_argument("--since", metavar="WHEN", type=moment, help="only runs launched since: a date, or 7d, 24h")
    parser.add_argument("--cost", metavar="USD", type=usd, help="only runs known to have cost at least so much")
    parser.add_argument(
        "--stuck",
        metavar="DURATION",
        nargs="?",
        const="5m",
        help="instead: agents at work without a sign of life for so long (5m), or past their time",
    )


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Lists them."""
    places = Places.of_environment()
    if arguments.stuck is not None:
        return _stuck(places, terminal, arguments.stuck, json=arguments.json)
    lines: list[RunLine] = []
    paused = False
    with reading(places) as connection:
        if connection is not None:
            lines = _wanted(connection, arguments)
            paused = harness_paused(connection)
    watch = any(line.live for line in lines) and watched(places)
    statuses = [run_status(line, watched=watch, harness_paused=paused) for line in lines]
    if arguments.json:
        from tui.commands.document import of_line

        terminal.document(
            [of_line(line, status, dropped=line.dropped) for line, status in zip(lines, statuses, strict=True)]
        )
        return Status.OK
    if not lines:
        terminal.note("no such run" if _filters(arguments) else _NOTHING)
        return Status.OK
    _print(terminal, lines, statuses)
    return Status.OK


def _stuck(places: Places, terminal: Terminal, silent: str, *, json: bool) -> int:
    from harness.duration import parse_duration
    from tui.commands.stuck import list_stuck
    from tui.errors import WrongUsage

    try:
        seconds = parse_duration(silent)
    except ValueError as problem:
        raise WrongUsage(f"--stuck: {problem}") from None
    return list_stuck(places, terminal, silent=seconds, json=json)


_NOTHING = "no runs yet; `midwatch run WORKFLOW` launches one"


def _filters(arguments: Namespace) -> bool:
    return any(getattr(arguments, name) is not None for name in ("workflow", "outcome", "since", "cost"))


def _wanted(connection: sqlite3.Connection, arguments: Namespace) -> list[RunLine]:
    """The newest runs that fit, read in pages so that a filter costs what it skips and no more."""
    limit: int = arguments.limit
    if not _filters(arguments):
        return run_lines(connection, limit=limit)
    from tui.run_filter import RunFilter

    wanted = RunFilter.of(arguments.workflow, arguments.outcome, since=arguments.since, cost=arguments.cost)
    found: list[RunLine] = []
    before: int | None = None
    while len(found) < limit and (page := run_lines(connection, limit=_PAGE, before=before)):
        before = page[-1].seq
        found.extend(line for line in page if wanted.fits(line))
    return found[:limit]


def _print(terminal: Terminal, lines: list[RunLine], statuses: list[RunStatus]) -> None:
    from tui.commands.table import table
    from tui.commands.tones import tone
    from tui.text import one_line

    now = now_ms()
    rows = [
        (
            sign(line.outcome or status, terminal.ascii),
            short(line.id),
            one_line(line.name),
            word(line.outcome or status) + (f" ({_DROPPED[line.dropped]})" if line.dropped else ""),
            clock(line.started_at, now),
            "" if status == "unsettled" else elapsed((line.ended_at or now) - line.started_at),
            money(line.totals, partial=line.live),
        )
        for line, status in zip(lines, statuses, strict=True)
    ]
    terminal.lines(
        table(
            terminal,
            rows,
            header=("", "RUN", "WORKFLOW", "STATUS", "STARTED", "TIME", "COST"),
            right=(5, 6),
            gives=(2, 3),
            colours=[tone(line.outcome or status) for line, status in zip(lines, statuses, strict=True)],
            coloured=(0, 3),
        )
    )
