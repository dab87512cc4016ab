"""The panes of the main screen: which of them are shown, where the hand is, and what can be done there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from tui.actions import BY_ID, bindings, hints
from tui.glance import Glance
from tui.screens.main_layout import MainLayout, Wanted, is_wide, left_width
from tui.situation import Pane, Situation
from tui.widgets.board import Board
from tui.widgets.cost import Cost
from tui.widgets.footer import Footer
from tui.widgets.header import Header
from tui.widgets.output import Output
from tui.widgets.prompt import Prompt
from tui.widgets.runs import Runs
from tui.widgets.workflows import WorkflowRow, Workflows

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.layout import Layout

    from tui.midwatch import Midwatch


class Panes(Screen[None], inherit_bindings=False):
    """Eight widgets and no containers: the layout is computed from the size."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    focused = Reactive[Widget | None](None, repaint=False)
    """Textual repaints the whole screen when the focus moves; here the two panes do that themselves."""

    def __init__(self) -> None:
        super().__init__(id="main")
        self.workflows = Workflows(id=Pane.WORKFLOWS, heading="Workflows")
        self.runs = Runs(id=Pane.RUNS, heading="Runs")
        self.board = Board(id=Pane.AGENTS, heading="Run")
        self.output = Output(id=Pane.OUTPUT)
        self.cost = Cost(id="cost")
        self.header = Header(id="header")
        self.footer = Footer(id="footer")
        self.prompt = Prompt(id="prompt")
        self.pane = Pane.WORKFLOWS
        self.glance = Glance()
        self._main_layout = MainLayout(self._wishes)
        self._laid_out: Wanted | None = None
        self._resumed = self._laid_out_once = False

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    @property
    def layout(self) -> Layout:
        """Ours: a style sheet can only name Textual's own."""
        return self._main_layout

    def compose(self) -> ComposeResult:
        """All that there is; the layout says which of it is shown where."""
        self.prompt.display = False
        yield from (
            self.header,
            self.workflows,
            self.runs,
            self.board,
            self.output,
            self.cost,
            self.footer,
            self.prompt,
        )

    @property
    def here(self) -> Situation:
        """What is under the hand."""
        row, run = self.board.agent, self.glance.run
        return Situation(
            pane=self.pane,
            workflow=self.target_workflow(),
            run=run,
            state=None if run is None else self.glance.state(run),
            agent=None if row is None else row.delegation,
            searching=bool(self.output.wanted),
        )

    def target_workflow(self) -> WorkflowRow | None:
        """The workflow that a launch means: the selected one; in the row for all, that of the selected run."""
        row = self.workflows.selected
        if row is not None and row.path is None and self.pane is not Pane.WORKFLOWS and self.glance.run is not None:
            path = self.glance.run.workflow
            return next((one for one in self.workflows.every if one.path == path), row)
        return row

    def focus_pane(self, pane: Pane) -> None:
        """Puts the hand there; where room is short, that pane is the one shown."""
        self.pane = pane
        self.set_focus(self.widget_of(pane), scroll_visible=False)
        self.offer()
        if not is_wide(self.app.size):
            self._lay_out()
            # A pane that comes back in the size it had was painted before it was laid out: paint it once more.
            self.call_after_refresh(self.widget_of(pane).refresh)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first time there is nothing to lay out again, and Textual would send the first frame twice."""
        if not self._resumed:
            self._resumed = True
            self.stack_updates += 1
            event.prevent_default()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """For Textual, which would go on to send all that the first frame shows two times more."""
        first = not self._laid_out_once and self.is_current
        super()._refresh_layout(size, scroll)
        if first and self._size:
            self._laid_out_once = True
            for widget in (self, *self.children):
                widget._exchange_repaint_regions()
                widget._repaint_required = False
            self._layout_required = False
            self._dirty_widgets.clear()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The mouse can bring the hand somewhere too."""
        if event.widget.id in list(Pane) and event.widget.id != self.pane:
            self.pane = Pane(event.widget.id)
            self.offer()

    def offer(self) -> None:
        """Says in the footer what can be done here."""
        self.footer.show(hints(self.here, self.midwatch.keys))

    def widget_of(self, pane: Pane) -> Workflows | Runs | Board | Output:
        """The widget of that pane."""
        widgets: dict[Pane, Workflows | Runs | Board | Output] = {
            Pane.WORKFLOWS: self.workflows,
            Pane.RUNS: self.runs,
            Pane.AGENTS: self.board,
            Pane.OUTPUT: self.output,
        }
        return widgets[pane]

    def on_resize(self, event: events.Resize) -> None:
        """One column at a time, or all of them."""
        self.set_class(not is_wide(event.size), "narrow")

    def _wishes(self, size: Size) -> Wanted:
        inside = max(1, left_width(size) - 2)
        return Wanted(
            pane=self.pane,
            workflows=self.workflows.wanted_height(inside),
            agents=self.board.wanted_height(inside),
            footer=self.footer.wanted_height(size.width),
        )

    def settle_heights(self) -> None:
        """Lays the panes out again if they would like other heights now."""
        wanted, before = self._wishes(self.app.size), self._laid_out
        self._laid_out = wanted
        if before is not None and wanted != before:
            self._lay_out()

    def action_act(self, action: str) -> None:
        """Does what the table of actions calls so, or says why that is not possible here."""
        self.footer.hush()
        reason = BY_ID[action].when(self.here)
        if reason is not None:
            self.say(reason, "yellow")
        else:
            getattr(self, f"do_{action.replace('-', '_')}")()
        self.settle_heights()

    def say(self, sentence: str, tone: str = "") -> None:
        """A sentence in the footer, until the next key."""
        self.footer.say(sentence, tone)
        self.settle_heights()

    def _lay_out(self) -> None:
        """Through a child: only that makes Textual forget the last arrangement."""
        self.header.refresh(repaint=False, layout=True)
