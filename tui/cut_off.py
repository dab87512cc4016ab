"""What was cut off, in the words and columns of the recovery screen (R8–R11). Nothing here knows Textual."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.model import State
from store.recovery import cut_off_runs, last_recorded
from tui.lines import Cell, Line, Span, fit, row
from tui.text import cells, one_line
from tui.wording import clock, counted, money, short

if TYPE_CHECKING:
    from store.paths import Places
    from store.recovery import CutOff, Interrupted
    from store.run import Run

WIDE = 104
"""From so many cells on, an agent and how it would start again are one line."""
AGAIN = "What was in flight when it broke off may be done, and paid for, again."
_NAME, _NAMED = 16, 6
_INDENT = 6
_BOX = 3

Key = tuple[str, str]
"""A run's id and the name of an agent of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """One agent that can be taken up again; `session`: its CLI can take up what it was in the middle of."""

    run: Run
    agent: Interrupted
    session: bool

    @property
    def key(self) -> Key:
        """What a request names."""
        return self.run.id, self.agent.delegation.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Offers:
    """Everything that was cut off, newest run first, and `how`: the sentence on what ended it."""

    how: str = ""
    runs: tuple[tuple[Run, tuple[Offer, ...]], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CutOffRow:
    """One line of the list: an agent (`offer`), or words about the agent or the run above."""

    run: Run
    offer: Offer | None = None
    note: str = ""
    indent: int = 0


def read_offers(connection: sqlite3.Connection, places: Places, now: int) -> Offers:
    """What waits for a person. Raises `sqlite3.Error`."""
    found = cut_off_runs(connection)
    if not found:
        return Offers()
    from harness.identity import this_boot

    return Offers(
        how=how_it_ended(found[0], this_boot(), booted_at(), last_recorded(connection, found[0].run.id), now),
        runs=tuple(
            (
                one.run,
                tuple(
                    Offer(run=one.run, agent=agent, session=_takes_up(places, one.run, agent)) for agent in one.agents
                ),
            )
            for one in found
        ),
    )


def booted_at() -> int | None:
    """When this box started (ms); `None` where the system does not say."""
    since = getattr(time, "CLOCK_BOOTTIME", None)
    return None if since is None else int((time.time() - time.clock_gettime(since)) * 1000)


def how_it_ended(newest: CutOff, boot: str, booted: int | None, last: int | None, now: int) -> str:
    """'The box restarted at 04:12.' when its agents were started under another boot, else what the watch left."""
    boots = {attempt.boot for one in newest.agents for attempt in one.delegation.attempts if attempt.boot is not None}
    if boots and boot not in boots:
        return "The box restarted." if booted is None else f"The box restarted at {clock(booted, now)}."
    return "The watch ended." if last is None else f"The watch ended, some time after {clock(last, now)}."


def story(offers: Offers, *, live: int) -> list[Span]:
    """What happened, what it means, and what a resume may repeat. `live`: runs that do go on."""
    count = len(offers.runs)
    cut = "1 run was cut off." if count == 1 else f"{count} runs were cut off."
    nothing = "Nothing of it is running" if live else "Nothing is running"
    return [
        (f"{offers.how} {cut} {nothing} and nothing is being spent. An agent starts again only if you resume it.", ""),
        (AGAIN, "yellow"),
    ]


def rows_for(offers: Offers, width: int) -> list[CutOffRow]:
    """The lines of the list. Where room is short, how an agent would start again is a line of its own."""
    rows: list[CutOffRow] = []
    for run, agents in offers.runs:
        rows.append(CutOffRow(run=run))
        for offer in agents:
            rows.append(CutOffRow(run=run, offer=offer))
            if width < WIDE:
                rows.append(CutOffRow(run=run, note=again(offer), indent=_INDENT))
        never = [one.name for one in run.delegations.values() if one.state is State.NOT_STARTED]
        if never:
            rows.append(CutOffRow(run=run, note=f"never started: {_names(never)}", indent=2))
    return rows


def again(offer: Offer) -> str:
    """How it would start."""
    return "its session can be taken up" if offer.session else "no session: would start again from its hand-over"


def run_line(run: Run, offers: Offers, now: int, width: int) -> Line:
    """`ship-feature  7f3a  started 02:31  kept: 41 turns, $1.84+`."""
    name = max(cells(one_line(one.name)) for one, _ in offers.runs)
    kept = ", ".join(part for part in (counted(run.totals.turns, "turn"), money(run.totals)) if part)
    columns = [
        Cell(one_line(run.name), min(name, 2 * _NAME), "bold"),
        Cell(short(run.id), 8, "dim"),
        Cell(f" started {clock(run.started_at, now)}", 20 if name < _NAME else 15),
    ]
    return fit([*row(columns, width), (f"kept: {kept}", "")], width)


def agent_line(offer: Offer, every: Sequence[Offer], width: int, *, marked: bool, told: bool) -> Line:
    """`[x] review  reviewer  claude  4 turns  $0.22+  its session can be taken up`, in columns of `every` one."""
    columns = [_columns(one) for one in every]
    widths = [max(cells(texts[at]) for texts in columns) for at in range(5)]
    name, role, cli, turns, cost = _columns(offer)
    told_mark = "  with your words" if told else ""
    spans = row(
        [
            Cell("[x]" if marked else "[ ]", _BOX, "yellow" if marked else ""),
            Cell(name, min(widths[0], _NAME), "bold"),
            Cell(role, widths[1]),
            Cell(cli, widths[2]),
            Cell(turns, widths[3], right=True),
            Cell(cost, widths[4], right=True),
        ],
        width,
    )
    rest = f" {again(offer)}{told_mark}" if width >= WIDE else told_mark
    return fit([("  ", ""), *spans, (rest, "" if offer.session or width < WIDE else "dim")], width)


def discard_effects(run: Run) -> list[str]:
    """What discarding does, said before it is done (R12)."""
    kept = ", ".join(part for part in (counted(run.totals.turns, "turn"), money(run.totals)) if part)
    return [
        "Nothing of this run is offered again, and none of its agents can be taken up any more.",
        f"Its record and its cost stay in history and usage ({kept}).",
    ]


def _columns(offer: Offer) -> tuple[str, str, str, str, str]:
    delegation = offer.agent.delegation
    planned = offer.run.plan.agent(delegation.name)
    turns = counted(delegation.totals.turns, "turn") if delegation.totals.turns else ""
    return one_line(delegation.name), str(planned.role), one_line(planned.cli), turns, money(delegation.totals)


def _names(agents: Sequence[str]) -> str:
    shown = ", ".join(one_line(agent) for agent in agents[:_NAMED])
    return shown if len(agents) <= _NAMED else f"{shown} and {len(agents) - _NAMED} more"


def _takes_up(places: Places, run: Run, agent: Interrupted) -> bool:
    """Whether a resume would take up the session: there is one, and the CLI can (R11, R17)."""
    if agent.session is None:
        return False
    from harness.agents import adapter
    from harness.cli_names import COMMAND

    cli = run.plan.agent(agent.delegation.name).cli
    if cli != COMMAND:
        return bool(adapter(cli).resumes)
    from harness import snapshot
    from harness.errors import HarnessError

    try:
        return bool(snapshot.recall(places, run.id).agent(agent.delegation.name).resume)
    except HarnessError:  # a resume says it
        return False
