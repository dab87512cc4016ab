"""`midwatch show RUN`: one run with its outcome, its cost, its waves and agents.

`--json`: the document that the contract fixes (`tui.commands.document`).
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from store.ids import now_ms
from store.model import RUNNING_STATES, RunStatus, State
from store.paths import Places
from store.views import harness_paused, load_run, run_line
from store.vitals import vitals_of
from tui.commands.options import RUN, describe
from tui.commands.reading import reading_run, watched
from tui.commands.table import table
from tui.commands.tones import tone
from tui.standing import run_status, session_to_take_up
from tui.statuses import status_of
from tui.text import one_line
from tui.wording import ago, clock, counted, dollars, elapsed, money, sign, tokens, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from store.run import Delegation, Run
    from store.usage import Totals
    from store.vitals import Vitals
    from tui.commands.terminal import Terminal


_DROPPED = {
    "evicted": "its agents, events and output are not kept any more: they made room for newer runs ([retention])",
    "too large": "its record was too large to keep ([retention] record), so its agents, events and output were dropped",
}


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "One run: outcome, cost, waves and agents.", "midwatch show @", "midwatch show 7f3a --exit-status")
    parser.add_argument("reference", metavar="RUN", help=RUN)
    parser.add_argument(
        "--exit-status", action="store_true", help="leave with the status that tells the outcome; 10: not finished"
    )


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Shows it."""
    places = Places.of_environment()
    with reading_run(places, arguments.reference) as (connection, found):
        shown, vitals, paused = load_run(connection, found), vitals_of(connection, found), harness_paused(connection)
        dropped = run_line(connection, found).dropped
    status = run_status(shown, watched=shown.live and watched(places), harness_paused=paused)
    if arguments.json:
        from tui.commands.document import of_run

        terminal.document(of_run(shown, status, vitals, dropped=dropped))
    else:
        terminal.lines(describe_run(terminal, shown, status, vitals))
        if dropped is not None:
            terminal.lines(terminal.wrapped(_DROPPED[dropped], "  "))
    return status_of(shown.outcome) if arguments.exit_status else 0


def describe_run(terminal: Terminal, run: Run, status: RunStatus, vitals: Mapping[str, Vitals]) -> Iterator[str]:
    """The run as lines for a person."""
    now = now_ms()
    state = run.outcome or status
    yield (
        f"{terminal.paint(sign(state, terminal.ascii), tone(state))} {terminal.paint(one_line(run.name), 'bold')}"
        f"  {run.id}  {terminal.paint(word(state), tone(state))}"
    )
    for paragraph in _paragraphs(run, status, now):
        yield from terminal.wrapped(paragraph, "  ")
    for index, wave in enumerate(run.plan.waves):
        yield ""
        yield terminal.paint(one_line(wave.name), "bold")
        yield from _agents(terminal, run, run.of_wave(index), vitals, now, unsettled=status == RunStatus.UNSETTLED)


def _paragraphs(run: Run, status: RunStatus, now: int) -> Iterator[str]:
    if run.why:
        yield one_line(run.why)
    if status == RunStatus.UNSETTLED:
        yield "its watch ended before it did; the next start of midwatch settles what became of it"
    if run.restored:
        yield "it was cut off and restored from the record; nothing of it is alive"
    if run.discarded:
        yield "it was discarded: nothing is offered for it again"
    if run.continues:
        yield f"continues {run.continues}"
    if run.parent:
        yield f"launched by {one_line(run.parent_agent or '')} of run {run.parent}, in whose limits it counts"
    took = elapsed((run.ended_at if run.ended_at is not None else now) - run.started_at)
    how_long = "" if status == RunStatus.UNSETTLED else f"{'for' if run.live else 'took'} {took}, "
    yield f"started {clock(run.started_at, now)}, {how_long}in {one_line(run.folder)}"
    metered = any(agent.metered for wave in run.plan.waves for agent in wave.agents)
    yield spent_line(run.totals, partial=run.live, metered=metered)
    if metered:
        yield tokens_line(run.totals)
    for name, value in run.inputs.items():
        yield f"{one_line(name)} = {one_line(value)}"


def spent_line(totals: Totals, *, partial: bool, metered: bool) -> str:
    """Money and turns; what of it is only estimated is said (U3)."""
    parts = [money(totals, partial=partial, metered=metered) or "no cost"]
    if totals.estimated:
        parts.append(f"({dollars(totals.estimated)} of it is estimated, which is not a bill)")
    parts.append(f" {counted(totals.turns, 'turn')}")
    return " ".join(parts)


def tokens_line(totals: Totals) -> str:
    """Each counter of tokens; unknown is not zero (U2)."""
    return (
        f"in {tokens(totals.input, totals.missing_input)}  out {tokens(totals.output, totals.missing_output)}"
        f"  cache read {tokens(totals.cache_read, totals.missing_cache_read)}"
        f"  write {tokens(totals.cache_write, totals.missing_cache_write)}"
    )


def _agents(
    terminal: Terminal,
    run: Run,
    delegations: list[Delegation],
    vitals: Mapping[str, Vitals],
    now: int,
    *,
    unsettled: bool,
) -> Iterator[str]:
    rows = []
    for one in delegations:
        planned = run.plan.agent(one.name)
        model = one.model or planned.model
        stands = _stands(one, unsettled=unsettled)
        rows.append(
            (
                sign(stands, terminal.ascii),
                one_line(one.name),
                planned.role,
                one_line(planned.cli if model is None else f"{planned.cli} {model}"),
                f"{one.totals.turns}t" if one.totals.turns else "",
                money(one.totals, partial=one.state in RUNNING_STATES, metered=planned.metered and bool(one.attempts)),
                "" if one.started_at is None or stands != one.state else _took(one, now),
                _state(one, vitals.get(one.name), now, unsettled=unsettled),
            )
        )
    lines = table(
        terminal,
        rows,
        right=(4, 5, 6),
        gives=(3, 1, 7),
        colours=[tone(_stands(one, unsettled=unsettled)) for one in delegations],
        coloured=(0, 7),
        indent="  ",
    )
    for one, line in zip(delegations, lines, strict=True):
        yield line
        if unsettled and not one.final:
            told = f"it was {word(one.state)} when its watch ended; the next start of midwatch settles it"
            yield from terminal.wrapped(told, "      ")
        for remark in _remarks(run, one):
            yield from terminal.wrapped(remark, "      ")


def _stands(delegation: Delegation, *, unsettled: bool) -> State | RunStatus:
    return RunStatus.UNSETTLED if unsettled and not delegation.final else delegation.state


def _took(delegation: Delegation, now: int) -> str:
    return elapsed((delegation.ended_at or now) - (delegation.started_at or now))


def _state(delegation: Delegation, vitals: Vitals | None, now: int, *, unsettled: bool) -> str:
    if unsettled and not delegation.final:
        return word(RunStatus.UNSETTLED)
    parts = [word(delegation.state)]
    if delegation.reason is not None:
        parts[0] += f" ({delegation.reason})"
    if delegation.verdict is not None:
        parts[0] += f", {delegation.verdict}"
    if delegation.held and delegation.state in (State.REFINING, State.DELEGATED):
        parts.append("held")
    if vitals is not None and vitals.sign_of_life is not None and delegation.state is State.RUNNING:
        parts.append(f"last sign of life {ago(vitals.sign_of_life, now)}")
    return ", ".join(parts)


def _remarks(run: Run, delegation: Delegation) -> Iterator[str]:
    if delegation.detail:
        yield one_line(delegation.detail)
    if delegation.quote:
        yield f'"{one_line(delegation.quote)}"'
    for warning in delegation.warnings:
        yield f"warning: {one_line(warning)}"
    attempt = delegation.attempt
    if attempt is not None and attempt.ended_at is not None and (attempt.exit_code or attempt.signal):
        how = f"signal {attempt.signal}" if attempt.signal else f"exit status {attempt.exit_code}"
        yield f"ended with {how}" + (f", after we had asked it to end ({attempt.asked})" if attempt.asked else "")
    if delegation.files:
        yield f"files: {', '.join(one_line(path) for path in delegation.files)}"
    if session_to_take_up(run, delegation) is not None:
        yield "its session can be taken up"
