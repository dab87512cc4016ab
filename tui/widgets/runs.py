"""The runs of the selected workflow, or of all: live ones first, then the newest."""

from __future__ import annotations

from dataclasses import dataclass

from store.model import Outcome, RunStatus
from store.views import RunLine
from tui.commands.tones import tone
from tui.glance import Glance
from tui.lines import Cell, Line, row
from tui.text import one_line
from tui.widgets.rows import Rows
from tui.wording import ago, elapsed, money, short, sign, word

_STATUS, _COST, _ID, _AGO = 13, 8, 8, 8


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

    def key_of(self, item: RunRow) -> str:
        """The run's id."""
        return item.run.id

    def text_of(self, item: RunRow) -> str:
        """Workflow, id and status."""
        return f"{one_line(item.run.name)} {item.run.id} {word(item.state)}"

    def line_of(self, item: RunRow, width: int) -> Line:
        """`▸ 0f3a9c21 17m02s   $1.84+`; at more width how long ago it ended too."""
        run, colour, now = item.run, tone(item.state) or "dim", self.midwatch.now()
        label = one_line(run.name) if self.of_all else short(run.id)
        when = "" if run.ended_at is None else ago(run.ended_at, now)
        columns = [
            Cell(sign(item.state, self.midwatch.ascii), 1, colour),
            Cell(label, 0),
            Cell(self._status(item, now), _STATUS, colour),
            Cell(when, _AGO, "dim", right=True),
            Cell(money(run.totals), _COST, right=True),
        ]
        if self.of_all and width >= 60:
            columns.insert(2, Cell(short(run.id), _ID, "dim"))
        if width < 44:
            columns.pop(-2)
        taken = sum(column.width + 1 for column in columns if column.width)
        columns[1] = Cell(label, max(6, width - taken))
        return row(columns, width)

    def emptiness(self) -> list[str]:
        """What makes a run."""
        return ["no runs yet", "", "n launches the workflow"]

    def _status(self, item: RunRow, now: int) -> str:
        if item.run.live:
            passed = elapsed(now - item.run.started_at)
            return passed if item.state is RunStatus.LIVE else f"{word(item.state)} {passed}"
        return word(item.state) if item.state is not Outcome.WITH_FAILURES else "with failures"
