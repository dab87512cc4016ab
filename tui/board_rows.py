"""A run as the rows of the board: its agents wave by wave, and below each the one reason for how it stands (A6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from store.model import RUNNING_STATES, State, Verdict
from store.plan import PlannedAgent
from store.run import Delegation, Run
from store.vitals import Vitals
from tui.commands.tones import tone
from tui.glance import Glance
from tui.text import one_line
from tui.waiting import waits_for
from tui.wording import elapsed, word

QUIET_AFTER_MS = 60_000
"""A sign of life this young is not worth a word."""
_MEBI = 1 << 20
_AGAINST = {Verdict.REJECTED: "red", Verdict.BLOCKED: "yellow"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """One agent."""

    run: str
    wave: str
    """The name of its wave, for the first agent of each."""
    planned: PlannedAgent
    delegation: Delegation
    waits: str
    vitals: Vitals | None = None

    @property
    def key(self) -> str:
        """Another run's agent of the same name is another one."""
        return f"{self.run}/{self.delegation.name}"

    @property
    def name(self) -> str:
        """Its name, harmless."""
        return one_line(self.delegation.name)

    @property
    def cli(self) -> str:
        """Its CLI and the model that answers, or was asked for."""
        model = self.delegation.model or self.planned.model
        return one_line(self.planned.cli if model is None else f"{self.planned.cli} {model}")

    @property
    def turns(self) -> str:
        """`12t`."""
        return f"{self.delegation.totals.turns}t" if self.delegation.totals.turns else ""

    @property
    def tone(self) -> str:
        """The colour of what it came to: a reviewer that rejected has done its work, and yet is no good news."""
        verdict = self.delegation.verdict
        against = None if verdict is None else _AGAINST.get(verdict)
        return against or tone(self.delegation.state) or "dim"

    def time(self, now: int) -> str:
        """How long it took, or has taken so far."""
        one = self.delegation
        return (
            "" if one.started_at is None else elapsed((now if one.ended_at is None else one.ended_at) - one.started_at)
        )

    def how(self, now: int) -> str:
        """What it waits for, what it does, or what it came to."""
        one = self.delegation
        if self.waits:
            return self.waits
        if one.state is State.RUNNING:
            return _vitals(self.vitals, now) or word(one.state)
        return str(one.verdict) if one.verdict is not None else word(one.state)


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """A line that says why."""

    text: str
    tone: str
    of_agent: bool
    """Whether it belongs to the agent above it, rather than to the run."""


BoardRow = AgentRow | Remark


def board_rows(glance: Glance) -> list[BoardRow]:
    """The rows of the run that the look loaded."""
    run = glance.run
    if run is None:
        return []
    rows: list[BoardRow] = list(_of_run(glance, run))
    for index, wave in enumerate(run.plan.waves):
        for place, one in enumerate(run.of_wave(index)):
            agent = AgentRow(
                run=run.id,
                wave=one_line(wave.name) if place == 0 else "",
                planned=run.plan.agent(one.name),
                delegation=one,
                waits=one_line(waits_for(run, one, paused=glance.paused, credentials=glance.credentials)),
                vitals=glance.vitals.get(one.name),
            )
            rows.append(agent)
            why = _why(one)
            if why:
                rows.append(Remark(text=why, tone=agent.tone, of_agent=True))
            rows.extend(Remark(text=one_line(text), tone="yellow", of_agent=True) for text in one.warnings)
    return rows


def interesting(rows: list[BoardRow]) -> str:
    """The key of the agent to look at first: one at work, else one that has something to explain, else the first."""

    def rank(row: AgentRow) -> int:
        one = row.delegation
        if one.state in RUNNING_STATES:
            return 0
        return 1 if one.state in (State.FAILED, State.BLOCKED) or one.verdict in _AGAINST else 2

    best = min((row for row in rows if isinstance(row, AgentRow)), key=rank, default=None)
    return "" if best is None else best.key


def _of_run(glance: Glance, run: Run) -> Iterator[Remark]:
    """What must be said of the run as a whole."""
    state = glance.state(run)
    colour = tone(state) or "dim"
    if run.why and run.outcome is not None:
        yield Remark(text=one_line(run.why), tone=colour, of_agent=False)
    if run.live and not glance.watched:
        text = "the record says live, but no watch lives; the next start of one settles it"
        yield Remark(text=text, tone="yellow", of_agent=False)
    if run.live and run.halted is not None:
        text = ": ".join(part for part in (f"stopping ({run.halted})", one_line(run.halted_detail or "")) if part)
        yield Remark(text=text, tone="yellow", of_agent=False)
    if run.restored:
        text = "it was cut off and restored from the record; nothing of it is alive"
        yield Remark(text=text, tone="yellow", of_agent=False)
    if run.discarded:
        yield Remark(text="it was discarded: nothing is offered for it again", tone="dim", of_agent=False)


def _why(one: Delegation) -> str:
    if one.state in (State.FAILED, State.BLOCKED):
        return one_line(one.detail or "")
    if one.state in (State.STOPPED, State.STOPPING, State.NOT_STARTED):
        return one_line(one.detail or str(one.reason or ""))
    if one.verdict in _AGAINST and one.quote:
        return f'"{one_line(one.quote)}"'
    return ""


def _vitals(vitals: Vitals | None, now: int) -> str:
    if vitals is None:
        return ""
    parts = []
    silence = 0 if vitals.sign_of_life is None else now - vitals.sign_of_life
    if silence >= QUIET_AFTER_MS:
        parts.append(f"quiet {elapsed(silence - silence % QUIET_AFTER_MS).removesuffix('00s')}")
    if vitals.cpu is not None:
        parts.append(f"{vitals.cpu}%")
    if vitals.memory is not None:
        mebis = vitals.memory / _MEBI
        parts.append(f"{mebis:.0f}M" if mebis < 1000 else f"{mebis / 1024:.1f}G")
    return " ".join(parts)
