"""A run over time: each wave and each agent as a bar between the run's beginning and its end or now; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store.model import FINAL_STATES
from store.run import Attempt, Delegation, Run
from tui.commands.tones import tone
from tui.lines import Cell, Line, fit, row
from tui.text import cells, one_line
from tui.wording import clock, elapsed, sign, word

_NAME = 22
_STATE = 22
_LENGTH = 7
_LEAST_BAR = 10
_LEAST_TICK = 14  # cells between two times on the axis
_AT_WORK, _WAVE = ("\u2500", "="), ("\u2501", "#")  # ─ ━


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """Moments (ms) as columns of a bar."""

    begin: int
    end: int
    width: int

    def column(self, moment: int) -> int:
        """The column of that moment, the last one at most."""
        span = max(1, self.end - self.begin)
        return max(0, min(self.width - 1, (moment - self.begin) * self.width // span))

    def moment(self, column: int) -> int:
        """The moment at which a column begins."""
        return self.begin + (self.end - self.begin) * column // max(1, self.width)


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """Something that lasted: from, to (ms)."""

    begin: int
    end: int


def bar(scale: Scale, pieces: Sequence[Piece], stroke: str, mark: tuple[int, str] | None = None) -> str:
    """The pieces as strokes; each is at least one cell. `mark` stands at its moment, over what is there."""
    shown = [" "] * scale.width
    for piece in pieces:
        for column in range(scale.column(piece.begin), scale.column(piece.end) + 1):
            shown[column] = stroke
    if mark is not None:
        shown[scale.column(mark[0])] = mark[1]
    return "".join(shown)


def axis(scale: Scale, now: int) -> str:
    """Times along the bar, as many as fit."""
    seconds = scale.end - scale.begin < 10 * 60_000
    shown = ""
    for column in range(0, scale.width, _LEAST_TICK):
        label = "|" + clock(scale.moment(column), now, seconds=seconds)
        if column + cells(label) <= scale.width:
            shown = shown.ljust(column) + label
    return shown


def timeline(run: Run, now: int, width: int, *, ascii_signs: bool) -> Iterator[Line]:
    """The whole picture in lines of `width` cells: an axis, then the waves with their agents."""
    end = run.ended_at if run.ended_at is not None else now
    names = max((cells(one_line(name)) + 2 for name in run.delegations), default=0)
    name_width = min(_NAME, max(names, *(cells(one_line(wave.name)) for wave in run.plan.waves)))
    states = max((cells(_state(one)) for one in run.delegations.values()), default=0)
    state_width = min(_STATE, states)
    bar_width = width - name_width - state_width - _LENGTH - 3
    if bar_width < _LEAST_BAR:
        state_width, bar_width = 0, width - name_width - _LENGTH - 2
    scale = Scale(begin=run.started_at, end=max(end, run.started_at + 1), width=max(1, bar_width))
    yield fit([(" " * (name_width + 1) + axis(scale, now), "dim")], width)
    for index, wave in enumerate(run.plan.waves):
        delegations = run.of_wave(index)
        pieces = [piece for one in delegations for piece in _pieces(one, end)]
        whole = [Piece(begin=min(p.begin for p in pieces), end=max(p.end for p in pieces))] if pieces else []
        lasted = elapsed(whole[0].end - whole[0].begin) if whole else ""
        yield row(
            [
                Cell(one_line(wave.name), name_width, "bold"),
                Cell(bar(scale, whole, _WAVE[ascii_signs]), scale.width, "dim"),
                Cell(lasted, _LENGTH, "dim", right=True),
            ],
            width,
        )
        for one in delegations:
            colour = tone(one.state) or ""
            yield row(
                [
                    Cell("  " + one_line(one.name), name_width),
                    Cell(_agent_bar(scale, one, end, ascii_signs=ascii_signs), scale.width, colour),
                    Cell(_lasted(one, end), _LENGTH, right=True),
                    Cell(_state(one), state_width, colour),
                ],
                width,
            )


def _agent_bar(scale: Scale, one: Delegation, end: int, *, ascii_signs: bool) -> str:
    pieces = _pieces(one, end)
    mark = None
    if one.state in FINAL_STATES and one.ended_at is not None:
        mark = one.ended_at, sign(one.state, ascii_signs)
    elif pieces:
        mark = end, sign(one.state, ascii_signs)
    return bar(scale, pieces, _AT_WORK[ascii_signs], mark)


def _pieces(one: Delegation, end: int) -> list[Piece]:
    return [Piece(begin=attempt.started_at, end=_end_of(attempt, one, end)) for attempt in one.attempts]


def _end_of(attempt: Attempt, one: Delegation, end: int) -> int:
    if attempt.ended_at is not None:
        return attempt.ended_at
    return one.ended_at if one.ended_at is not None else end


def _lasted(one: Delegation, end: int) -> str:
    pieces = _pieces(one, end)
    return elapsed(sum(piece.end - piece.begin for piece in pieces)) if pieces else ""


def _state(one: Delegation) -> str:
    return word(one.state) + (f" ({one.reason})" if one.reason is not None else "")
