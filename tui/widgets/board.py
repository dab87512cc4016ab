"""A run's waves and agents: sign, name, role, CLI and model, turns, cost, time, vitals, and one reason why not (A6)."""

from __future__ import annotations

from collections.abc import Sequence

from tui.board_rows import AgentRow, BoardRow, Remark, board_rows, interesting
from tui.commands.tones import tone
from tui.glance import Glance
from tui.lines import Cell, Line, fit, row
from tui.text import cells, one_line
from tui.widgets.rows import Rows
from tui.wording import elapsed, money, short, sign, word

_ROLE, _CLI, _TURNS = 3, 4, 5
"""Columns that give way, in this order, to what an agent is about."""
_HOW = 22
_WIDEST = (10, 1, 16, 12, 20, 6, 10, 8)
"""Cells that a column takes at most."""


class Board(Rows[BoardRow]):
    """The third column of the way in."""

    run: str | None = None
    """The id of the run that is shown."""
    _widths: Sequence[int] = ()
    _how = 0

    def show_run(self, glance: Glance) -> None:
        """Shows the run that the look loaded; of another run than before, the agent to look at first."""
        run = None if glance.run is None else glance.run.id
        another = run != self.run
        self.run = run
        self.heading = _heading(glance, self.midwatch.now())
        rows = board_rows(glance)
        self.show(rows)
        if another:
            self.select(interesting(rows))

    def tick(self, glance: Glance) -> None:
        """The clocks went on."""
        self.heading = _heading(glance, self.midwatch.now())
        self.caption_now()
        self.repaint()

    def select_agent(self, name: str) -> None:
        """Puts the hand on the agent of that name."""
        for item in self.every:
            if isinstance(item, AgentRow) and item.planned.name == name:
                self.select(item.key)

    @property
    def agent(self) -> AgentRow | None:
        """The agent under the cursor."""
        row = self.selected
        return row if isinstance(row, AgentRow) else None

    def key_of(self, item: BoardRow) -> str:
        """The agent in its run."""
        return item.key if isinstance(item, AgentRow) else ""

    def text_of(self, item: BoardRow) -> str:
        """Name, role, CLI and how it stands."""
        if isinstance(item, Remark):
            return item.text
        return f"{item.name} {item.planned.role} {item.cli} {word(item.delegation.state)} {item.waits}"

    def selectable(self, item: BoardRow) -> bool:
        """A remark is not an agent."""
        return isinstance(item, AgentRow)

    def measure(self, items: Sequence[BoardRow]) -> None:
        """Every column is as wide as what stands in it, within bounds."""
        now = self.midwatch.now()
        agents = [item for item in self.every if isinstance(item, AgentRow)]
        columns = zip(*([column.text for column in self._columns(item, now)] for item in agents), strict=True)
        needed = [max(cells(text) for text in column) for column in columns] or [0] * len(_WIDEST)
        self._widths = [min(one, most) for one, most in zip(needed, _WIDEST, strict=True)]
        self._how = min(_HOW, max((cells(item.how(now)) for item in agents), default=0))

    def line_of(self, item: BoardRow, width: int) -> Line:
        """`build  ▸ api  developer  claude sonnet  12t  $0.61  4m10s  31% 412M`."""
        waves = self._widths[0]
        if isinstance(item, Remark):
            indent = " " * (waves + 3 if waves else 2) if item.of_agent else ""
            return fit([(indent, ""), (item.text, item.tone)], width)
        now = self.midwatch.now()
        columns = [cell._replace(width=one) for cell, one in zip(self._columns(item, now), self._widths, strict=True)]
        for droppable in (_ROLE, _CLI, _TURNS):
            if _room(columns, width) >= self._how:
                break
            columns[droppable] = columns[droppable]._replace(width=0)
        return row([*columns, Cell(item.how(now), max(0, _room(columns, width)), item.tone)], width)

    def emptiness(self) -> list[str]:
        """What would be here."""
        return ["the waves and agents of a run are shown here", "", "n launches a workflow"]

    def _columns(self, item: AgentRow, now: int) -> list[Cell]:
        one = item.delegation
        return [
            Cell(item.wave, 0, "bold"),
            Cell(sign(one.state, self.midwatch.ascii), 0, tone(one.state) or "dim"),
            Cell(item.name, 0),
            Cell(item.planned.role, 0, "dim"),
            Cell(item.cli, 0, "dim"),
            Cell(item.turns, 0, right=True),
            Cell(money(one.totals, metered=item.planned.metered and bool(one.attempts)), 0, right=True),
            Cell(item.time(now), 0, right=True),
        ]


def _room(columns: Sequence[Cell], width: int) -> int:
    return width - sum(column.width + 1 for column in columns if column.width)


def _heading(glance: Glance, now: int) -> str:
    run = glance.run
    if run is None:
        return "Run"
    state = word(glance.state(run))
    parts = [one_line(run.name), f"run {short(run.id)}"]
    if run.live:
        parts += [f"{state} {elapsed(now - run.started_at)}", f"wave {max(run.wave, 0) + 1}/{len(run.plan.waves)}"]
    else:
        parts += [state, f"took {elapsed((run.ended_at or run.started_at) - run.started_at)}"]
    return "  ".join(parts)
