"""The runs of the selected workflow, or of all: live ones first, then the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.model import Outcome, RunStatus
from store.views import RunLine
from tui.commands.tones import tone
from tui.glance import Glance
from tui.lines import Cell, Line, row
from tui.text import cells, one_line
from tui.widgets.rows import Rows
from tui.wording import ago, elapsed, money, short, sign, word

_NAME, _ID, _AGO = 14, 8, 8


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """One run, and how it stands."""

    run: RunLine
    state: Outcome | RunStatus


def run_rows(glance: Glance) -> list[RunRow]:
    """The runs of the look, in its order."""
    return [RunRow(run=line, state=glance.state(line)) for line in glance.runs]


class Runs(Rows[RunRow]):
    """The second column of the way in."""

    of_all = True
    """Whether the rows are of several workflows, so that each must say of which."""

    _statuses = _costs = 0

    def key_of(self, item: RunRow) -> str:
        """The run's id."""
        return item.run.id

    def text_of(self, item: RunRow) -> str:
        """Workflow, id and status."""
        return f"{one_line(item.run.name)} {item.run.id} {word(item.state)}"

    def measure(self, items: Sequence[RunRow]) -> None:
        """Statuses and costs stand below one another."""
        now = self.midwatch.now()
        self._statuses = max(cells(self._status(one, now)) for one in items)
        self._costs = max(cells(money(one.run.totals)) for one in items)

    def line_of(self, item: RunRow, width: int) -> Line:
        """`▸ ship-feature 0f3a9c21 17m02s   $1.84+`; of one workflow the id and when it ended."""
        run, colour, now = item.run, tone(item.state) or "dim", self.midwatch.now()
        fixed = [
            Cell(sign(item.state, self.midwatch.ascii), 1, colour),
            Cell(self._status(item, now), self._statuses, colour),
            Cell(money(run.totals), self._costs, right=True),
        ]
        taken = sum(column.width + 1 for column in fixed)
        named = [Cell(short(run.id), width - taken)]
        if self.of_all:
            named = [Cell(one_line(run.name), max(6, width - taken))]
            if width - taken >= _NAME + _ID:
                named = [named[0]._replace(width=width - taken - _ID - 1), Cell(short(run.id), _ID, "dim")]
        elif width - taken >= _ID + _AGO:
            when = "" if run.ended_at is None else ago(run.ended_at, now)
            named = [named[0]._replace(width=width - taken - _AGO - 1), Cell(when, _AGO, "dim")]
        return row([fixed[0], *named, *fixed[1:]], width)

    def emptiness(self) -> list[str]:
        """What makes a run."""
        return ["no runs yet", "", "n launches the workflow"]

    def _status(self, item: RunRow, now: int) -> str:
        if item.run.live:
            return elapsed(now - item.run.started_at) if item.state is RunStatus.LIVE else word(item.state)
        return word(item.state) if item.state is not Outcome.WITH_FAILURES else "with failures"
