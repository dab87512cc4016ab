"""`midwatch usage`: what it cost, by agent, run, workflow, model or day.

`--json`: `{"by", "since", "lines": [{"key", "label", "runs", "cost", "usage"}], "all": {"cost", "usage"}}`, cost
and usage as in `show --json`; `turns` is `null`, as turns are not split by what usage is grouped by.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from store.ledger import By, UsageLine, spent_since, usage_lines
from store.paths import Places
from store.usage import Totals
from store.views import live_runs
from tui.commands.document import cost, usage
from tui.commands.options import describe, moment
from tui.commands.reading import reading
from tui.commands.table import table
from tui.statuses import Status
from tui.text import one_line
from tui.wording import dollars, iso, money, short, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "What it cost.", "midwatch usage --by model --since 7d", "midwatch usage --since 2026-01-31")
    parser.add_argument("--by", choices=[str(by) for by in By], default=str(By.WORKFLOW), help="workflow unless said")
    parser.add_argument("--since", metavar="WHEN", type=moment, help="a date, a time, or how long ago: 7d, 24h")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints the sums and their sum."""
    by, since = By(arguments.by), arguments.since
    lines: list[UsageLine] = []
    whole = Totals()
    live: set[str] = set()
    with reading(Places.of_environment()) as connection:
        if connection is not None:
            lines = usage_lines(connection, by, since=since)
            whole = spent_since(connection, since if since is not None else 0)
            live = {line.id for line in live_runs(connection)}
    if arguments.json:
        terminal.document(
            {
                "by": by,
                "since": None if since is None else iso(since),
                "lines": [
                    {
                        "key": one.key,
                        "label": one.label,
                        "runs": one.runs,
                        **_sums(one.totals, partial=_partial(by, one, live)),
                    }
                    for one in lines
                ],
                "all": _sums(whole, partial=bool(live)),
            }
        )
    elif not lines:
        terminal.note("nothing was used" + ("" if since is None else " since then"))
    else:
        terminal.lines(_table(terminal, by, lines, whole))
        for remark in _remarks(whole, live):
            terminal.lines(terminal.wrapped(remark))
    return Status.OK


def _sums(totals: Totals, *, partial: bool) -> dict[str, Any]:
    return {"cost": cost(totals, partial=partial), "usage": {**usage(totals), "turns": None}}


def _partial(by: By, line: UsageLine, live: set[str]) -> bool:
    """Whether more may come: exactly for runs and agents, for wider groups as soon as anything is live."""
    if by in (By.RUN, By.AGENT):
        return (line.key or "").partition("/")[0] in live
    return bool(live)


def _remarks(whole: Totals, live: set[str]) -> Iterator[str]:
    if live:
        yield "Figures of live runs are partial."
    if whole.missing_cost or whole.missing_tokens:
        yield "+ means at least: some of what was used came without figures."
    if whole.estimated:
        yield f"{dollars(whole.estimated)} of it is estimated from tokens and prices; estimates are not bills."


def _table(terminal: Terminal, by: By, lines: list[UsageLine], whole: Totals) -> list[str]:
    rows = [(_name(by, line), str(line.runs), *_figures(line.totals)) for line in lines]
    return table(
        terminal,
        [*rows, ("all", "", *_figures(whole))],
        header=(by.upper(), "RUNS", "COST", "IN", "OUT", "CACHE READ", "WRITE"),
        right=range(1, 7),
        gives=(0,),
    )


def _figures(totals: Totals) -> tuple[str, ...]:
    return (
        money(totals),
        tokens(totals.input, totals.missing_input),
        tokens(totals.output, totals.missing_output),
        tokens(totals.cache_read, totals.missing_cache_read),
        tokens(totals.cache_write, totals.missing_cache_write),
    )


def _name(by: By, line: UsageLine) -> str:
    if line.key is None:
        return "unknown"
    if by is By.AGENT:
        run, _, agent = line.key.partition("/")
        return f"{short(run)} {one_line(agent)}"
    if by is By.RUN:
        return f"{short(line.key)} {_stem(line.label)}"
    return _stem(line.key) if by is By.WORKFLOW else one_line(line.key)


def _stem(path: str | None) -> str:
    return one_line((path or "").rpartition("/")[2].removesuffix(".toml"))
