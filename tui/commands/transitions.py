"""What happens in a run as lines for a person, while it happens: one for each wave and each change of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.model import FINAL_STATES, State
from tui.commands.tones import tone
from tui.text import clip, one_line, pad
from tui.wording import clock, elapsed, money, sign, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from store.log import Stored
    from store.run import Delegation, Run
    from tui.commands.terminal import Terminal

_SHOWN = frozenset({State.RUNNING, State.STOPPING, *FINAL_STATES})
_MARGIN = "  "
_NAME_CELLS = 24


def lines(terminal: Terminal, run: Run, news: Sequence[Stored], now: int) -> Iterator[str]:
    """The lines for these events; `run` is the run as it stands after them."""
    width = min(_NAME_CELLS, max((len(name) for name in run.delegations), default=1))
    for event in news:
        when = clock(event.at, now, seconds=True)
        said = _of_run(event) if event.agent is None else _of_agent(terminal, run, event.agent, event, width)
        if said:
            line = f"{when}{_MARGIN}{said}"
            yield line if terminal.width is None or terminal.colour else clip(line, terminal.width)


def _of_run(event: Stored) -> str:
    match event.type:
        case "wave.started":
            return f"wave {event.data['wave'] + 1}: {one_line(str(event.data['name']))}"
        case "run.paused":
            return "paused: nothing new starts"
        case "run.unpaused":
            return "unpaused"
        case "run.draining":
            return "draining: nothing new starts"
        case "run.stopping":
            return f"stopping ({event.data['reason']}){_because(event.data.get('detail'))}"
        case "run.restored":
            return "its watch was gone; settled from the record"
        case _:
            return ""


def _of_agent(terminal: Terminal, run: Run, agent: str, event: Stored, width: int) -> str:
    if agent not in run.delegations or event.to_state is None or event.to_state == event.from_state:
        return ""
    state = State(event.to_state)
    if state not in _SHOWN:
        return ""
    delegation = run.delegations[agent]
    parts = [
        f"{terminal.paint(sign(state, terminal.ascii), tone(state))} {pad(one_line(agent), width)}",
        terminal.paint(_state(state, event), tone(state)),
        *(_figures(run, delegation) if state in FINAL_STATES else _program(run, agent, state)),
    ]
    return _MARGIN.join(part for part in parts if part)


def _state(state: State, event: Stored) -> str:
    reason, verdict = event.data.get("reason"), event.data.get("verdict")
    said = word(state) + (f" ({reason})" if reason else "") + (f", {verdict}" if verdict else "")
    return said + _because(event.data.get("detail"))


def _because(detail: object) -> str:
    return f": {one_line(detail)}" if isinstance(detail, str) and detail else ""


def _program(run: Run, agent: str, state: State) -> list[str]:
    if state is not State.RUNNING:
        return []
    planned = run.plan.agent(agent)
    return [one_line(f"{planned.cli} {planned.model or ''}")]


def _figures(run: Run, delegation: Delegation) -> list[str]:
    totals = delegation.totals
    metered = run.plan.agent(delegation.name).metered and bool(delegation.attempts)
    took = "" if delegation.started_at is None else elapsed((delegation.ended_at or 0) - delegation.started_at)
    return [f"{totals.turns}t" if totals.turns else "", money(totals, metered=metered), took]
