"""While you were away, in full: each run that ended with its outcome, its cost and why, and what waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from store.views import RunLine
from tui.away import MOST, WAITING, Away
from tui.away import sentence as told
from tui.commands.tones import tone
from tui.lines import Cell, Span, row, text_of
from tui.screens.reading import Reading
from tui.text import cells, one_line
from tui.wording import ago, clock, counted, money, short, sign, word

_NAME = 24
_HANGING = 4


class AwayScreen(Reading):
    """As it was counted when the screen opened, so that what the line said is what is read."""

    def __init__(self, away: Away | None) -> None:
        super().__init__(heading="While you were away")
        self._away = away
        self.page.hanging = _HANGING
        self.page.empty = "this is the first look; what ends while you do not look is told here"

    def text(self) -> Iterable[Span]:
        """The sums first, then what asks for something, then the rest."""
        away = self._away
        if away is None:
            return
        keys, now = self.midwatch.keys, self.midwatch.now()
        yield f"Since {clock(away.since, now)}, when you last looked.", "dim"
        yield told(away).partition(": ")[2] + ".", "bold"
        if away.cut_off:
            key = keys.get("recovery", "R")
            yield (
                f"{counted(away.cut_off, 'run')} cut off: {key} shows what can be taken up again; nothing runs before.",
                "yellow",
            )
        if away.letters:
            key = keys.get("letters", "D")
            yield (
                f"{counted(away.letters, 'dead letter')}: {key} shows what nobody took, and what was refused.",
                "yellow",
            )
        rest = [run for run in away.ended if run.outcome not in WAITING]
        for heading, runs in (("Waits for you", away.waiting), ("Ended", rest)):
            if runs:
                yield "", ""
                yield heading, "bold"
                for run in runs:
                    yield from self._run(run, now)
        if len(away.ended) >= MOST:
            yield f"The last {MOST} are shown; `midwatch runs` has all.", "dim"

    def _run(self, run: RunLine, now: int) -> Iterator[Span]:
        width = self.page.size.width or self.app.size.width - 2
        name = min(_NAME, max(cells(one_line(one.name)) for one in self._away.ended)) if self._away else _NAME
        status = "with failures" if word(run.outcome) == "completed with failures" else word(run.outcome)
        line = row(
            [
                Cell(sign(run.outcome, self.midwatch.ascii), 1),
                Cell(one_line(run.name), name),
                Cell(short(run.id), 8),
                Cell(status, 13),
                Cell(money(run.totals), 9, right=True),
                Cell("" if run.ended_at is None else ago(run.ended_at, now), 9, right=True),
            ],
            width,
        )
        yield text_of(line), tone(run.outcome) or "" if run.outcome is not None else ""
        if run.why:
            yield f"    {one_line(run.why)}", "dim"
