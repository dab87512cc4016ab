"""A run as a report in Markdown that a person would send: outcome, waves, verdicts, cost, what failed, answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from store.model import RUNNING_STATES, State
from tui.commands.show import spent_line, tokens_line
from tui.text import one_line
from tui.wording import elapsed, iso, money, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from store.model import RunStatus
    from store.run import Delegation, Run
    from tui.answers import Answer

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_WANTS_A_WORD = frozenset({State.FAILED, State.BLOCKED, State.STOPPED, State.NOT_STARTED})


def report(run: Run, status: RunStatus, answers: Mapping[str, Answer | None], *, dropped: str | None) -> str:
    """The whole report. Times are UTC, so that it means the same wherever it is read."""
    return "\n".join(_lines(run, status, answers, dropped))


def _lines(run: Run, status: RunStatus, answers: Mapping[str, Answer | None], dropped: str | None) -> Iterator[str]:
    metered = any(agent.metered for wave in run.plan.waves for agent in wave.agents)
    yield f"# {_plain(run.name)}: {word(run.outcome or status)}"
    yield ""
    if run.why:
        yield f"{_plain(run.why)}"
        yield ""
    yield f"- run `{run.id}` in {_code(run.folder)}"
    ended = "not ended yet" if run.ended_at is None else f"ended {iso(run.ended_at)}"
    took = "" if run.ended_at is None else f", took {elapsed(run.ended_at - run.started_at)}"
    yield f"- started {iso(run.started_at)}, {ended}{took}"
    yield f"- {_plain(spent_line(run.totals, partial=run.live, metered=metered))}"
    if metered:
        yield f"- {_plain(tokens_line(run.totals))}"
    if run.restored:
        yield "- it was cut off and restored from the record"
    if run.continues:
        yield f"- continues run `{run.continues}`"
    if dropped is not None:
        yield f"- its agents, events and output are not kept any more ({dropped})"
    if run.inputs:
        yield from ("", "## Inputs", "")
        for name, value in run.inputs.items():
            yield f"- {_plain(name)}: {_plain(value)}"
    for index, wave in enumerate(run.plan.waves):
        yield from ("", f"## Wave {index + 1}: {_plain(wave.name)}", "")
        yield "| agent | role | CLI | state | verdict | turns | cost | time |"
        yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
        delegations = run.of_wave(index)
        yield from (_row(run, one) for one in delegations)
        remarks = [line for one in delegations for line in _remarks(one)]
        if remarks:
            yield from ("", *remarks)
    for agent, answer in answers.items():
        if answer is not None:
            yield from ("", f"## Answer of {_plain(agent)}", "", *_answer(answer))


def _row(run: Run, one: Delegation) -> str:
    planned = run.plan.agent(one.name)
    model = one.model or planned.model
    state = word(one.state) + (f" ({one.reason})" if one.reason is not None else "")
    spent = money(one.totals, partial=one.state in RUNNING_STATES, metered=planned.metered and bool(one.attempts))
    took = "" if one.started_at is None or one.ended_at is None else elapsed(one.ended_at - one.started_at)
    values = (
        _plain(one.name),
        planned.role,
        _plain(planned.cli if model is None else f"{planned.cli} {model}"),
        state,
        one.verdict or "",
        str(one.totals.turns or ""),
        spent,
        took,
    )
    return f"| {' | '.join(values)} |"


def _remarks(one: Delegation) -> Iterator[str]:
    """What there is to say of an agent beside its row."""
    if one.detail:
        yield f"- **{_plain(one.name)}**: {_plain(one.detail)}"
    elif one.state in _WANTS_A_WORD:
        yield f"- **{_plain(one.name)}**: {word(one.state)}, no reason recorded"
    if one.quote:
        yield f"- **{_plain(one.name)}** wrote: {_code(one.quote)}"
    if one.warning:
        yield f"- **{_plain(one.name)}**, warning: {_plain(one.warning)}"
    if one.files:
        yield f"- **{_plain(one.name)}** wrote files: {', '.join(_code(path) for path in one.files)}"


def _answer(answer: Answer) -> Iterator[str]:
    if answer.text is None:
        yield f"{answer.bytes} bytes, not in this report: it is over a MiB, or its journal is gone."
        return
    longest = max((len(run) for run in re.findall(r"`+", answer.text)), default=0)
    fence = "`" * max(3, longest + 1)  # so that no fence in the answer closes this one
    yield from (f"{fence}text", answer.text.rstrip("\n"), fence)


def _plain(text: str) -> str:
    """`text` on one line, with nothing in it that Markdown would take for its own."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def _code(text: str) -> str:
    shown = one_line(text)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    if not longest:
        return f"`{shown}`"
    ticks = "`" * (longest + 1)
    return f"{ticks} {shown} {ticks}"
