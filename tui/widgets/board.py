"""A run's waves and agents: sign, name, role, CLI and model, turns, cost, time, vitals, and one reason why not (A6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from store.model import RUNNING_STATES, State, Verdict
from store.plan import PlannedAgent
from store.run import Delegation
from store.vitals import Vitals
from tui.commands.tones import tone
from tui.glance import Glance
from tui.lines import Cell, Line, fit, row
from tui.text import cells, one_line
from tui.waiting import waits_for
from tui.widgets.rows import Rows
from tui.wording import elapsed, money, short, sign, word

QUIET_AFTER_MS = 60_000
"""A sign of life this young is not worth a word."""
_ROLE, _CLI, _TURNS = 3, 4, 5
"""Columns that give way, in this order, to what an agent is about."""
_HOW = 22
_MEBI = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """One agent, or (with `remark`) the line below it that says why."""

    run: str
    wave: str
    """The name of its wave, for the first agent of each."""
    planned: PlannedAgent
    delegation: Delegation
    waits: str
    vitals: Vitals | None = None
    remark: str | None = None


def agent_rows(glance: Glance) -> list[AgentRow]:
    """The agents of the run that the look loaded, wave by wave."""
    run = glance.run
    if run is None:
        return []
    rows = []
    for index, wave in enumerate(run.plan.waves):
        for place, one in enumerate(run.of_wave(index)):
            agent = AgentRow(
                run=run.id,
                wave=one_line(wave.name) if place == 0 else "",
                planned=run.plan.agent(one.name),
                delegation=one,
                waits=one_line(waits_for(run, one, paused=glance.paused)),
                vitals=glance.vitals.get(one.name),
            )
            rows.append(agent)
            remark = _remark(one)
            if remark:
                rows.append(replace(agent, wave="", waits="", remark=remark))
    return rows


def interesting(glance: Glance) -> str:
    """The key of the agent to look at first: one at work, else one that has something to explain, else the first."""
    rows = [row for row in agent_rows(glance) if row.remark is None]

    def rank(row: AgentRow) -> int:
        one = row.delegation
        if one.state in RUNNING_STATES:
            return 0
        if one.state in (State.FAILED, State.BLOCKED) or one.verdict in (Verdict.REJECTED, Verdict.BLOCKED):
            return 1
        return 2

    best = min(rows, key=rank, default=None)
    return "" if best is None else f"{best.run}/{best.delegation.name}"


def _remark(one: Delegation) -> str:
    if one.state in (State.FAILED, State.BLOCKED):
        return one_line(one.detail or "")
    if one.state in (State.STOPPED, State.STOPPING, State.NOT_STARTED):
        return one_line(": ".join(part for part in (str(one.reason or ""), one.detail or "") if part))
    if one.verdict is not None and one.quote and one.verdict != "accepted":
        return f'"{one_line(one.quote)}"'
    return one_line(one.warning or "")


class Board(Rows[AgentRow]):
    """The third column of the way in."""

    run: str | None = None
    """The id of the run that is shown."""

    def show_run(self, glance: Glance) -> None:
        """Shows the run that the look loaded."""
        self.run = None if glance.run is None else glance.run.id
        self.heading = _heading(glance, self.midwatch.now())
        self.show(agent_rows(glance))

    def key_of(self, item: AgentRow) -> str:
        """The agent's name in its run: another run's agent of that name is another one."""
        return f"{item.run}/{item.delegation.name}"

    def text_of(self, item: AgentRow) -> str:
        """Name, role, CLI and state."""
        one = item.delegation
        return f"{one.name} {item.planned.role} {item.planned.cli} {word(one.state)} {item.waits}"

    def selectable(self, item: AgentRow) -> bool:
        """A remark is not an agent."""
        return item.remark is None

    def line_of(self, item: AgentRow, width: int) -> Line:
        """`build  ▸ api  developer  claude sonnet  12t  $0.61  4m10s  31% 412M`."""
        every = self.every
        waves = min(10, max(cells(one.wave) for one in every))
        if item.remark is not None:
            return fit(
                [(" " * (waves + 3 if waves else 2), ""), (item.remark, tone(item.delegation.state) or "dim")], width
            )
        one, how = item.delegation, self._how(item)
        colour = tone(one.state) or "dim"
        columns = [
            Cell(item.wave, waves, "bold"),
            Cell(sign(one.state, self.midwatch.ascii), 1, colour),
            Cell(one_line(one.name), min(16, max(cells(one_line(other.delegation.name)) for other in every))),
            Cell(item.planned.role, max(cells(other.planned.role) for other in every), "dim"),
            Cell(self._cli(item), min(20, max(cells(self._cli(other)) for other in every)), "dim"),
            Cell(_turns(one), max(cells(_turns(other.delegation)) for other in every), right=True),
            Cell(self._money(item), max(cells(self._money(other)) for other in every), right=True),
            Cell(self._time(one), max(cells(self._time(other.delegation)) for other in every), right=True),
        ]
        for droppable in (_ROLE, _CLI, _TURNS):
            if _room(columns, width) >= min(max(cells(self._how(other)) for other in every), _HOW):
                break
            columns[droppable] = columns[droppable]._replace(width=0)
        return row([*columns, Cell(how, max(0, _room(columns, width)), colour)], width)

    def emptiness(self) -> list[str]:
        """What would be here."""
        return ["the waves and agents of a run are shown here", "", "n launches a workflow"]

    def tick(self, glance: Glance) -> None:
        """The clocks went on."""
        self.heading = _heading(glance, self.midwatch.now())
        self.caption_now()
        self.repaint()

    def _cli(self, item: AgentRow) -> str:
        model = item.delegation.model or item.planned.model
        return one_line(item.planned.cli if model is None else f"{item.planned.cli} {model}")

    def _money(self, item: AgentRow) -> str:
        one = item.delegation
        return money(one.totals, metered=item.planned.metered and bool(one.attempts))

    def _time(self, one: Delegation) -> str:
        if one.started_at is None:
            return ""
        return elapsed((one.ended_at if one.ended_at is not None else self.midwatch.now()) - one.started_at)

    def _how(self, item: AgentRow) -> str:
        one = item.delegation
        if item.waits:
            return item.waits
        if one.state is State.RUNNING:
            return self._vitals(item.vitals) or word(one.state)
        if one.verdict is not None:
            return str(one.verdict)
        return word(one.state)

    def _vitals(self, vitals: Vitals | None) -> str:
        if vitals is None:
            return ""
        parts = []
        if vitals.sign_of_life is not None:
            silence = self.midwatch.now() - vitals.sign_of_life
            if silence >= QUIET_AFTER_MS:
                parts.append(f"quiet {elapsed(silence - silence % QUIET_AFTER_MS).removesuffix('00s')}")
        if vitals.cpu is not None:
            parts.append(f"{vitals.cpu}%")
        if vitals.memory is not None:
            parts.append(_size(vitals.memory))
        return " ".join(parts)


def _size(size: int) -> str:
    mebis = size / _MEBI
    return f"{mebis:.0f}M" if mebis < 1000 else f"{mebis / 1024:.1f}G"


def _turns(one: Delegation) -> str:
    return f"{one.totals.turns}t" if one.totals.turns else ""


def _room(columns: Sequence[Cell], width: int) -> int:
    return width - sum(column.width + 1 for column in columns if column.width)


def _heading(glance: Glance, now: int) -> str:
    run = glance.run
    if run is None:
        return "Run"
    state = glance.state(run)
    parts = [one_line(run.name), f"run {short(run.id)}"]
    if run.live:
        parts.append(f"{word(state)} {elapsed(now - run.started_at)}")
        parts.append(f"wave {max(run.wave, 0) + 1}/{len(run.plan.waves)}")
    else:
        parts.append(word(state))
        took = elapsed((run.ended_at if run.ended_at is not None else run.started_at) - run.started_at)
        parts.append(f"took {took}")
    return "  ".join(parts)
