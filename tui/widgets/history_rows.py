"""Runs of every workflow as a table, the newest launch first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from store.model import Outcome
from store.views import RunLine
from tui.commands.tones import tone
from tui.lines import Cell, Line, row
from tui.text import cells, one_line
from tui.widgets.rows import Rows
from tui.wording import clock, elapsed, money, short, sign, word

_NAME = 20
_ROOMY = 100


class HistoryRows(Rows[RunLine]):
    """One line a run; why it ended so takes what is left of it."""

    _names = _words = _costs = _clocks = 0

    def key_of(self, item: RunLine) -> Hashable:
        """Its id."""
        return item.id

    def text_of(self, item: RunLine) -> str:
        """Everything that the line says."""
        return f"{one_line(item.name)} {item.id} {_word(item)} {one_line(item.why or '')}"

    def measure(self, items: Sequence[RunLine]) -> None:
        """Columns as wide as what is in view."""
        now = self.midwatch.now()
        self._names = min(_NAME, max(cells(one_line(one.name)) for one in items))
        self._words = max(cells(_word(one)) for one in items)
        self._costs = max(cells(money(one.totals)) for one in items)
        self._clocks = max(cells(clock(one.started_at, now)) for one in items)

    def line_of(self, item: RunLine, width: int) -> Line:
        """`✗ triage 6b8k0003 not accepted  07:00  2h00m  $0.83+  review rejected it`."""
        state = item.outcome or item.state
        colour = ("cyan" if item.outcome is None else tone(item.outcome)) or "dim"
        now = self.midwatch.now()
        took = (item.ended_at if item.ended_at is not None else now) - item.started_at
        fixed = [
            Cell(sign(state, self.midwatch.ascii), 1, colour),
            Cell(one_line(item.name), self._names),
            Cell(short(item.id), 8, "dim"),
            Cell(_word(item), self._words, colour),
            Cell(clock(item.started_at, now), self._clocks, "dim", right=True),
            Cell(elapsed(took), 6, right=True),
            Cell(money(item.totals), self._costs, right=True),
        ]
        taken = sum(cell.width + 1 for cell in fixed if cell.width)
        why = "" if item.dropped is None else f"only this line is kept ({item.dropped})"
        return row([*fixed, Cell(why or one_line(item.why or ""), max(0, width - taken), "dim")], width)

    def emptiness(self) -> list[str]:
        """What would fill it."""
        return ["no such run", "", "/ asks for others: words, outcome:blocked, workflow:ship, since:7d, cost:2"]


def _word(item: RunLine) -> str:
    return "with failures" if item.outcome is Outcome.WITH_FAILURES else word(item.outcome or item.state)
