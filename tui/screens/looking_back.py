"""Keys that lead to what was: the history, words in outputs, a run over time; and from there to a place here."""

from __future__ import annotations

from tui.screens.found import Place
from tui.screens.panes import Panes
from tui.situation import Pane


class LookingBack(Panes):
    """The `do_…` of these keys."""

    def do_history(self) -> None:
        """All runs, and what agents printed."""
        from tui.screens.history import History

        self.app.push_screen(History(), self._go_to)

    def do_timeline(self) -> None:
        """The run over time."""
        from tui.screens.timeline import Timeline

        run = self.glance.run
        assert run is not None
        self.app.push_screen(Timeline(run.id, run.name))

    def reach(self, run: str) -> bool:
        """Shows this run, however old; whether it is still there."""
        raise NotImplementedError

    def _go_to(self, place: Place | None) -> None:
        if place is None:
            return
        for rows in (self.workflows, self.runs, self.board):
            rows.filter("")
        if not self.workflows.select(place.workflow):
            self.workflows.select(None)
        if not self.reach(place.run):
            self.say("that run is not in the record any more", "yellow")
            return
        if place.agent is None:
            self.focus_pane(Pane.AGENTS)
            return
        self.board.select_agent(place.agent)
        self.focus_pane(Pane.OUTPUT)
        source = self.output.source
        if source is None or source.attempt != place.attempt:
            self.say(
                f"this line is of attempt {place.attempt} of {place.agent}, an earlier one than is shown", "yellow"
            )
        else:
            self.output.reach(place.line, place.words)
