"""The first line: where this is, what is live, what waits for the person, what today cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.usage import Totals
from tui.lines import Line, Span, ends
from tui.widgets.painted import Painted
from tui.wording import money


@dataclass(frozen=True, kw_only=True, slots=True)
class HeaderFacts:
    """What the header says."""

    place: str = ""
    """Host and folder."""
    live: int = 0
    watched: bool = False
    paused: bool = False
    cut_off: int = 0
    failing: int = 0
    """Credentials on which nothing is launched."""
    today: Totals = field(default_factory=Totals)
    trouble: str = ""
    """Why nothing new comes, if that is so."""


class Header(Painted):
    """One line across the screen."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._facts = HeaderFacts()

    def show(self, facts: HeaderFacts) -> None:
        """Says these."""
        if facts != self._facts:
            self._facts = facts
            self.repaint()

    def lines(self, width: int, height: int) -> list[Line]:
        """`midwatch  box-17  ~/src/shop                 3 live  1 cut off (R)  today $14.20+`."""
        facts = self._facts
        left: list[Span] = [(" midwatch", "bold"), (f"  {facts.place}", "dim")]
        if facts.trouble:
            return [ends(left[:1], [(f"{facts.trouble} ", "red")], width)]
        right: list[Span] = []
        if facts.paused:
            right.append(("all paused   ", "yellow"))
        if facts.live and not facts.watched:
            right.append((f"{facts.live} unsettled", "yellow"))
        else:
            right.append((f"{facts.live} live", "cyan" if facts.live else "dim"))
        if facts.cut_off:
            key = self.midwatch.keys.get("recovery", "R")
            right.append((f"   {facts.cut_off} cut off ({key})", "yellow"))
        if facts.failing:
            key = self.midwatch.keys.get("credentials", "C")
            right.append((f"   {facts.failing} credential{'s'[: facts.failing != 1]} failing ({key})", "red"))
        today = money(facts.today)
        if today:
            right.append((f"   today {today}", ""))
        return [ends(left, [*right, (" ", "")], width)]
