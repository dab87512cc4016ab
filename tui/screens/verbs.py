"""Keys that do something: launch, stop, drain, pause, copy, open, leave. What changes a run goes through the inbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from store.errors import StoreError
from store.model import RUNNING_STATES, WAITING_STATES
from tui.aside import aside
from tui.screens.panes import Panes
from tui.situation import Pane
from tui.text import one_line
from tui.wording import short

if TYPE_CHECKING:
    from store.paths import Places
    from store.run import Delegation, Run

_NAMED = 6


class Verbs(Panes):
    """The `do_…` of these keys."""

    def do_launch(self) -> None:
        """Opens the launch screen for the workflow under the hand."""
        row = self.target_workflow()
        if row is None or row.path is None:
            self.say("choose a workflow first", "yellow")
            return
        from tui.screens.launch import Launch

        self.app.push_screen(Launch(row.path, row.name), self._launched)

    def _launched(self, run: str | None) -> None:
        if run is not None:
            self.look(run)
            self.focus_pane(Pane.AGENTS)
            self.say(f"run {short(run)} was launched")

    def look(self, run: str | None = None) -> None:
        """Reads the record and shows it."""
        raise NotImplementedError

    def do_stop(self) -> None:
        """Ends the agent or the run under the hand, after asking."""
        here = self.here
        if here.of_agent and here.agent is not None and not here.agent.final:
            self._stop_agent(here.agent)
        else:
            self.do_stop_run()

    def do_stop_run(self) -> None:
        """Ends the run, after asking."""
        run = self.glance.run
        assert run is not None
        at_work = [one.name for one in run.delegations.values() if one.state in RUNNING_STATES]
        waiting = [one.name for one in run.delegations.values() if one.state in WAITING_STATES]
        effects = [
            f"Ended now, with everything started by them: {_names(at_work)}." if at_work else "",
            f"Will not start: {_names(waiting)}." if waiting else "",
            "What was done and recorded is kept. The outcome of the run will be 'stopped'.",
        ]
        self._confirm(
            f"Stop {one_line(run.name)}, run {short(run.id)}?",
            effects,
            "stop it",
            lambda: self._request("stop", run.id, None, f"stopping {one_line(run.name)}"),
        )

    def _stop_agent(self, agent: Delegation) -> None:
        run = self.glance.run
        assert run is not None
        name = one_line(agent.name)
        at_work = agent.state in RUNNING_STATES
        self._confirm(
            f"Stop {name} of {one_line(run.name)}, run {short(run.id)}?",
            [
                f"{name} is ended now, with everything it started." if at_work else f"{name} will not start.",
                "The run goes on with its other agents." + _verdict_effect(run, agent),
            ],
            "stop it",
            lambda: self._request("stop", run.id, agent.name, f"stopping {name}"),
        )

    def do_drain(self) -> None:
        """Lets the run come to a gentle end, after asking."""
        run = self.glance.run
        assert run is not None
        waiting = [one.name for one in run.delegations.values() if one.state in WAITING_STATES]
        name = one_line(run.name)
        self._drain(
            f"Drain {name}, run {short(run.id)}?",
            f"Nothing new starts in it{f': not {_names(waiting)}' if waiting else ''}.",
            run.id,
            f"{name} starts nothing new",
        )

    def do_drain_all(self) -> None:
        """Lets everything come to a gentle end, after asking."""
        live = self.glance.live
        self._drain(
            "Drain everything that is live?",
            f"Nothing new starts in {'the run' if live == 1 else f'the {live} runs'} live now; later launches start.",
            None,
            "nothing new in the runs live now",
        )

    def _drain(self, heading: str, effect: str, run: str | None, done: str) -> None:
        from tui.screens.drain import Drain

        def answered(minutes: float | None) -> None:
            if minutes is not None:
                told = f"{done}; {minutes:g} minutes for what is at work"
                self._request("drain", run, None, told, minutes=minutes)

        self.app.push_screen(Drain(heading=heading, effects=[effect]), answered)

    def do_pause(self) -> None:
        """Holds what has not started, or lets it go on."""
        here = self.here
        assert here.run is not None
        if here.of_agent and here.agent is not None:
            verb = "unpause" if here.agent.held else "pause"
            done = "may start" if here.agent.held else "is held until you let it go on"
            self._request(verb, here.run.id, here.agent.name, f"{here.agent.name} {done}")
        else:
            verb = "unpause" if here.run.paused else "pause"
            done = "goes on" if here.run.paused else "starts nothing new until you let it go on"
            self._request(verb, here.run.id, None, f"{here.run.name} {done}")

    def do_pause_all(self) -> None:
        """Holds everything that has not started."""
        self._request("pause", None, None, "nothing new starts until you let it go on")

    def do_unpause_all(self) -> None:
        """Lifts that hold."""
        self._request("unpause", None, None, "everything goes on")

    def do_copy(self) -> None:
        """Sends what is under the hand to the terminal's clipboard."""
        from tui.clipboard import TooLong, osc52

        what, text = self._selected_text()
        if not text:
            self.say("there is nothing to copy here", "yellow")
            return
        try:
            self.midwatch.write_to_terminal(osc52(text, in_tmux=self.midwatch.in_tmux))
        except TooLong as problem:
            self.say(f"{problem}; {self._instead()}", "yellow")
            return
        self.say(f"{what} sent to the terminal's clipboard ({len(text)} characters); {self._instead()}")

    def _selected_text(self) -> tuple[str, str]:
        here = self.here
        if here.pane is Pane.OUTPUT:
            return "the output in view", self.output.visible_text()
        if here.pane is Pane.AGENTS and here.agent is not None:
            return "the agent's name", one_line(here.agent.name)
        if here.pane is Pane.WORKFLOWS:
            return "the path", "" if here.workflow is None or here.workflow.path is None else here.workflow.path
        return "the run's id", "" if here.run is None else here.run.id

    def _instead(self) -> str:
        source = self.output.source
        if self.pane is not Pane.OUTPUT or source is None:
            return "if it did not arrive, your terminal does not take it (OSC 52)"
        path = self.midwatch.places.journal(source.run, source.agent, source.attempt, "out")
        return f"all of it is in {path}"

    def do_pager(self) -> None:
        """The output as it is shown."""
        self._open_pager(readable=True)

    def do_journal(self) -> None:
        """The output as it was printed."""
        self._open_pager(readable=False)

    def _open_pager(self, *, readable: bool) -> None:
        from tui.pager_program import page_journal, page_transcript

        source = self.output.source
        assert source is not None
        places = self.midwatch.places
        try:
            with self.app.suspend():
                if readable:
                    problem = page_transcript(source.open(places, ">"))
                else:
                    problem = page_journal(places.journal(source.run, source.agent, source.attempt, "out"))
        except SuspendNotSupported:
            problem = f"a pager cannot have this terminal; `midwatch logs {short(source.run)} {source.agent}` prints it"
        if problem:
            self.say(problem, "red")

    def do_events(self) -> None:
        """What happened to the agent, or in the run."""
        from tui.screens.events import Events

        here = self.here
        if here.run is None:
            self.say("no run is selected", "yellow")
            return
        agent = here.agent.name if here.of_agent and here.agent is not None else None
        self.app.push_screen(Events(here.run.id, here.run.name, agent))

    def do_usage(self) -> None:
        """What it cost."""
        from tui.screens.usage import Usage

        self.app.push_screen(Usage())

    def do_help(self) -> None:
        """Every key, and what the signs mean."""
        from tui.screens.help import Help

        self.app.push_screen(Help())

    def do_theme(self) -> None:
        """Light or dark."""
        self.midwatch.other_brightness()
        self.say(f"theme {self.app.theme}{self.midwatch.theme_note}")

    def do_themes(self) -> None:
        """All themes by name."""
        self.app.search_themes()

    def do_quit(self) -> None:
        """Leaves; asks first while something is live."""
        live = self.glance.live
        if not live:
            self.app.exit(0)
            return
        self._confirm(
            "Leave the screen?",
            [
                f"{'1 run is live and goes' if live == 1 else f'{live} runs are live and go'} on without the screen.",
                "`midwatch` opens it again; s stops a run, d lets it finish.",
            ],
            "leave",
            lambda: self.app.exit(0),
            instead="stay",
            again=True,
        )

    def _confirm(
        self,
        heading: str,
        effects: Sequence[str],
        verb: str,
        then: Callable[[], object],
        *,
        instead: str = "leave it",
        again: bool = False,
    ) -> None:
        from tui.screens.confirm import Confirm

        def answered(yes: bool | None) -> None:
            if yes:
                then()

        self.app.push_screen(
            Confirm(heading=heading, effects=[one for one in effects if one], verb=verb, instead=instead, again=again),
            answered,
        )

    def _request(self, verb: str, run: str | None, agent: str | None, done: str, *, minutes: float = 0.0) -> None:
        """Asks the watch in a thread: it may have to be started first, and answers when it has answered."""
        self.say(f"{verb}: asked, waiting for the watch")

        places = self.midwatch.places
        aside(self, lambda: _asked(places, verb, run, agent, minutes), lambda problem: self._answered(problem, done))

    def _answered(self, problem: str | None, done: str) -> None:
        if problem is None:
            self.say(done)
        else:
            self.say(problem, "red")


def _asked(places: Places, verb: str, run: str | None, agent: str | None, minutes: float) -> str | None:
    """Why the watch did not take the request, or `None` when it did."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        if verb == "stop":
            assert run is not None
            requests.stop(places, run, agent)
        elif verb == "drain":
            requests.drain(places, run, minutes=minutes)
        elif verb == "pause":
            requests.pause(places, run, agent)
        else:
            requests.unpause(places, run, agent)
    except (HarnessError, StoreError) as error:
        return str(error)
    return None


def _names(agents: Sequence[str]) -> str:
    shown = ", ".join(one_line(agent) for agent in agents[:_NAMED])
    return shown if len(agents) <= _NAMED else f"{shown} and {len(agents) - _NAMED} more"


def _verdict_effect(run: Run, agent: Delegation) -> str:
    votes = run.plan.agent(agent.name).role.votes
    return " It has a vote, and without its verdict the run will be blocked." if votes else ""
