"""What it cost: by workflow, run, agent, model or day; today, in the last seven days, or ever."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType

from store.errors import StoreError
from store.ledger import By, UsageLine, spent_since, usage_lines
from store.usage import Totals
from store.views import live_runs
from tui.actions import bindings
from tui.glance import midnight
from tui.lines import Cell, Span, row, text_of
from tui.record_reader import RecordReader
from tui.screens.reading import KEYS, Reading
from tui.text import one_line
from tui.wording import dollars, money, short, tokens

_GROUPS = (By.WORKFLOW, By.RUN, By.AGENT, By.MODEL, By.DAY)
_SPANS = (("today", 0), ("in the last 7 days", 7), ("in the last 30 days", 30), ("ever", None))
_FIGURE = 11
MOST = 500


class Usage(Reading):
    """Read anew whenever the grouping changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(one for one in KEYS if one not in ("out",)),
        Binding("escape,h", "act('out')", show=False, id="out"),
        Binding("tab,right,l", "group(1)", show=False),
        Binding("shift+tab,left", "group(-1)", show=False),
        Binding("w", "since", show=False),
    ]
    extra = (("tab", "group"), ("w", "when"))

    def __init__(self) -> None:
        super().__init__(heading="Usage")
        self._group, self._span = 0, 3
        self.page.empty = "nothing was used; what agents cost is shown here, by workflow, run, agent, model and day"

    def action_group(self, step: int) -> None:
        """Another grouping."""
        self._group = (self._group + step) % len(_GROUPS)
        self._again()

    def action_since(self) -> None:
        """Another stretch of time."""
        self._span = (self._span + 1) % len(_SPANS)
        self._again()

    def _again(self) -> None:
        self.page.show(list(self.text()))
        self.page.jump(end=False)

    def text(self) -> Iterable[Span]:
        """The table and what must be said of it."""
        by, (when, days) = _GROUPS[self._group], _SPANS[self._span]
        self.page.heading = f"Usage by {by}, {when}"
        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            if connection is None:
                return []
            since = 0 if days is None else midnight(self.midwatch.now(), days)
            lines = usage_lines(connection, by, since=since)
            return list(self._table(by, lines, spent_since(connection, since), live=bool(live_runs(connection))))
        except (StoreError, sqlite3.Error) as error:
            return [(one_line(str(error)), "red")]
        finally:
            reader.close()

    def _table(self, by: By, lines: list[UsageLine], whole: Totals, *, live: bool) -> Iterator[Span]:
        if not lines:
            yield "nothing was used; tab groups otherwise, w looks further back", "dim"
            return
        yield self._row(str(by), "runs", ("cost", "in", "out", "cache read", "cache write")), "dim"
        for line in lines[:MOST]:
            yield self._row(_name(by, line), str(line.runs), _figures(line.totals)), ""
        if len(lines) > MOST:
            yield f"and {len(lines) - MOST} more; `midwatch usage --by {by}` has all", "dim"
        yield self._row("all", "", _figures(whole)), "bold"
        yield "", ""
        if live:
            yield "Figures of live runs are partial.", "dim"
        if whole.missing_cost or whole.missing_tokens:
            yield "+ means at least: some of what was used came without figures.", "dim"
        if whole.estimated:
            yield (
                f"{dollars(whole.estimated)} of it is estimated from tokens and prices; estimates are not bills.",
                "dim",
            )

    def _row(self, name: str, runs: str, figures: tuple[str, ...]) -> str:
        width = max(20, self.page.size.width or self.app.size.width - 2)
        shown = figures if width >= 88 else (figures[0], *figures[1:3])
        room = width - 6 - (_FIGURE + 1) * len(shown) - 1
        cells = [Cell(name, max(8, room)), Cell(runs, 5, right=True)]
        return text_of(row([*cells, *(Cell(one, _FIGURE, right=True) for one in shown)], width))


def _figures(totals: Totals) -> tuple[str, ...]:
    return (
        money(totals) or "-",
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
