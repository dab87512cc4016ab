"""Keys that lead somewhere: inwards and back, along the rows, to what a filter or a search finds."""

from __future__ import annotations

from tui.aside import aside
from tui.screens.panes import Panes
from tui.situation import Pane
from tui.text import one_line
from tui.widgets.output import Match
from tui.widgets.pager import Pager
from tui.widgets.prompt import Prompt
from tui.widgets.rows import Rows

_ORDER = (Pane.WORKFLOWS, Pane.RUNS, Pane.AGENTS, Pane.OUTPUT)


class Moving(Panes):
    """The `do_…` of these keys."""

    def do_in(self) -> None:
        """One step inwards."""
        self.focus_pane(_ORDER[min(_ORDER.index(self.pane) + 1, len(_ORDER) - 1)])

    def do_out(self) -> None:
        """Ends a filter or a search, else one step outwards."""
        widget = self.widget_of(self.pane)
        if isinstance(widget, Rows) and widget.wanted:
            widget.filter("")
        elif widget is self.output and self.output.wanted:
            self.output.search("")
        else:
            self.focus_pane(_ORDER[max(_ORDER.index(self.pane) - 1, 0)])
        self.offer()

    def do_next_pane(self) -> None:
        """The next one, around."""
        self.focus_pane(_ORDER[(_ORDER.index(self.pane) + 1) % len(_ORDER)])

    def do_previous_pane(self) -> None:
        """The one before, around."""
        self.focus_pane(_ORDER[(_ORDER.index(self.pane) - 1) % len(_ORDER)])

    def do_down(self) -> None:
        """Down one row."""
        self.widget_of(self.pane).move(1)

    def do_up(self) -> None:
        """Up one row."""
        self.widget_of(self.pane).move(-1)

    def do_page_down(self) -> None:
        """Down one screenful."""
        self.widget_of(self.pane).page(1)

    def do_page_up(self) -> None:
        """Up one screenful."""
        self.widget_of(self.pane).page(-1)

    def do_top(self) -> None:
        """To the first row."""
        self.widget_of(self.pane).jump(end=False)

    def do_bottom(self) -> None:
        """To the last."""
        self.widget_of(self.pane).jump(end=True)

    def do_filter(self) -> None:
        """Opens the prompt for this pane."""
        widget = self.widget_of(self.pane)
        searches = isinstance(widget, Pager)
        self.prompt.begin(widget.wanted, "enter finds it" if searches else "enter keeps it, escape shows all")

    def on_prompt_changed(self, message: Prompt.Changed) -> None:
        """A list follows while one types."""
        widget = self.widget_of(self.pane)
        if isinstance(widget, Rows):
            widget.filter(message.words)

    def on_prompt_done(self, message: Prompt.Done) -> None:
        """The words hold, or are given up."""
        widget = self.widget_of(self.pane)
        if isinstance(widget, Rows):
            widget.filter(message.words if message.kept else "")
        else:
            self.output.search(message.words if message.kept else "")
            if message.kept and message.words:
                self.do_later()
        self.focus_pane(self.pane)

    def do_earlier(self) -> None:
        """The match before."""
        self._search(backwards=True)

    def do_later(self) -> None:
        """The match after."""
        self._search(backwards=False)

    def _search(self, *, backwards: bool) -> None:
        """Looks for it in a thread: an output can be a gigabyte."""
        aside(
            self,
            lambda: self.output.find(backwards=backwards),
            lambda match: self._searched(match, backwards=backwards),
        )

    def _searched(self, match: Match | None, *, backwards: bool) -> None:
        if match is None:
            self.say(f"'{one_line(self.output.wanted)}' is not in this output", "yellow")
            return
        self.output.found(match.line)
        if match.went_round:
            self.say(f"went on from the {'end' if backwards else 'beginning'}", "dim")
