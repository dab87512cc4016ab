"""The agents that were cut off, under their runs, each with a box to mark it."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tui.cut_off import CutOffRow, Key, Offer, Offers, agent_line, rows_for, run_line
from tui.lines import Line, fit
from tui.widgets.rows import Rows


class CutOffRows(Rows[CutOffRow]):
    """Only agents can be under the hand."""

    def __init__(self, *, id: str, told: Callable[[Key], bool]) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id, heading="")
        self.offers = Offers()
        self.marks: set[Key] = set()
        self._told = told

    def take(self, offers: Offers, width: int) -> None:
        """Shows these; a mark on what is offered no more is gone."""
        self.offers = offers
        self.marks &= {offer.key for offer in self._every}
        self.show(rows_for(offers, width))

    def mark(self) -> None:
        """Marks the agent under the hand, or takes the mark away, and goes on to the next."""
        row = self.selected
        if row is not None and row.offer is not None:
            self.marks ^= {row.offer.key}
            self.repaint()
            self.move(1)

    @property
    def chosen(self) -> list[Offer]:
        """Those that are marked; without a mark the one under the hand."""
        marked = [offer for offer in self._every if offer.key in self.marks]
        if marked or self.selected is None or self.selected.offer is None:
            return marked
        return [self.selected.offer]

    @property
    def _every(self) -> list[Offer]:
        return [offer for _, agents in self.offers.runs for offer in agents]

    def key_of(self, item: CutOffRow) -> Hashable:
        """Run and agent."""
        return item.run.id if item.offer is None else item.offer.key

    def selectable(self, item: CutOffRow) -> bool:
        """Agents only."""
        return item.offer is not None

    def line_of(self, item: CutOffRow, width: int) -> Line:
        """A run, an agent, or words below one."""
        if item.offer is not None:
            key = item.offer.key
            return agent_line(item.offer, self._every, width, marked=key in self.marks, told=self._told(key))
        if item.note:
            return fit([(" " * item.indent, ""), (item.note, "dim")], width)
        return run_line(item.run, self.offers, self.midwatch.now(), width)

    def caption_now(self) -> None:
        """The frame around it says what it is."""
