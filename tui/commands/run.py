"""`midwatch run WORKFLOW`: launches a workflow and follows it to its end; the exit status tells the outcome.

`--json`: while it follows, each event on a line as in `events --json`, and at the end the document of `show --json` on
one. With `--detach`: `{"run": "…"}`.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from harness import requests
from harness.errors import RefusedError
from harness.inputs import fill_inputs
from harness.lock import holder
from harness.manners import inside
from harness.settings import load_settings
from harness.trust import require_trust
from harness.workflow import load_workflow
from harness.workflow_search import is_path, resolve
from store.ids import now_ms
from store.paths import Places
from store.views import load_run
from store.vitals import vitals_of
from tui.commands.document import of_event, of_run
from tui.commands.following import follow
from tui.commands.interrupts import Interrupts, ToldToEnd
from tui.commands.options import describe
from tui.commands.reading import reading_run
from tui.commands.tones import tone
from tui.commands.transitions import lines
from tui.errors import WrongUsage
from tui.standing import run_status
from tui.statuses import Status, status_of
from tui.text import one_line
from tui.wording import counted, elapsed, money, outcome_sentence, short, sign

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.run import Run
    from store.vitals import Vitals
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "Launch a workflow and follow it to its end. Ctrl-C stops the run, a second one leaves it stopping.",
        "midwatch run ship -i feature='dark mode'",
        "midwatch run ./ship.toml --detach",
    )
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, or a path, which is trusted for this launch")
    parser.add_argument(
        "-i",
        "--input",
        metavar="NAME=VALUE",
        type=_input,
        action="append",
        default=[],
        help="what the workflow asks for",
    )
    parser.add_argument("--detach", action="store_true", help="print the run's id and leave it going")


def _input(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"'{text[:40]}' is not NAME=VALUE")
    return name, value


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Launches it, after everything that can be wrong with it was looked at here."""
    places, cwd = Places.of_environment(), Path.cwd()
    path = resolve(places, cwd, arguments.workflow)
    workflow = load_workflow(path, load_settings(places.settings))
    named_by_path = is_path(arguments.workflow) and not inside()
    if not named_by_path:
        require_trust(places, path)
    inputs = fill_inputs(workflow, _given(arguments.input))
    alone = holder(places.watch_lock) is None
    with Interrupts() as interrupts:
        try:
            launched = requests.launch(places, str(path), inputs, named_by_path=named_by_path).run
        except KeyboardInterrupt:
            terminal.note("midwatch: the launch may still be taken up within 30 s; see `midwatch runs`")
            raise
        if alone:
            _say_whether_it_survives(places, terminal)
        interrupts.let_through()
        if not arguments.detach or interrupts.stops:
            return _Followed(places, launched, terminal, json=arguments.json).to_its_end(interrupts)
    if arguments.json:
        terminal.document({"run": launched})
    else:
        terminal.line(launched)
    return Status.OK


def _say_whether_it_survives(places: Places, terminal: Terminal) -> None:
    """One line, where the system ends processes with the login (R18)."""
    from harness.logout import line_at_start

    watch = holder(places.watch_lock)
    line = None if watch is None or watch.pid is None else line_at_start(watch.pid)
    if line is not None:
        terminal.note(f"midwatch: {line}")


def _given(pairs: list[tuple[str, str]]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise WrongUsage(f"the input '{one_line(name)}' is given twice")
        given[name] = value
    return given


class _Followed:
    """A run that this terminal launched and shows until it ends."""

    def __init__(self, places: Places, run: str, terminal: Terminal, *, json: bool) -> None:
        self._places, self._run, self._terminal, self._json = places, run, terminal, json
        self._after = 0

    def to_its_end(self, interrupts: Interrupts) -> int:
        """The status that tells its outcome; 10 when the person left before it ended."""
        try:
            try:
                interrupts.raise_pending()
                self._follow()
            except ToldToEnd:
                self._terminal.note(
                    f"midwatch: told to end; run {self._run} goes on without this terminal, and"
                    f" `midwatch stop {short(self._run)}` ends it"
                )
                return Status.NOT_FINISHED
            except KeyboardInterrupt:
                self._terminal.note(f"midwatch: stopping run {self._run}; Ctrl-C again leaves it stopping")
                with suppress(RefusedError):  # it ended by itself in this moment
                    requests.stop(self._places, self._run)
                self._follow()
        except KeyboardInterrupt:
            seen = short(self._run)
            self._terminal.note(f"midwatch: left run {self._run} stopping; `midwatch show {seen}` tells how it ended")
            return Status.NOT_FINISHED
        return self._conclude()

    def _follow(self) -> None:
        for news in follow(self._places, self._run, after=self._after):
            if self._json:
                for event in news:
                    self._terminal.item(of_event(event))
            else:
                run = self._load()[0]
                self._terminal.lines(lines(self._terminal, run, news, now_ms()))
                self._terminal.flush()
            self._after = news[-1].seq

    def _load(self) -> tuple[Run, Mapping[str, Vitals]]:
        with reading_run(self._places, self._run) as (connection, found):
            return load_run(connection, found), vitals_of(connection, found)

    def _conclude(self) -> int:
        run, vitals = self._load()
        if self._json:
            self._terminal.item(of_run(run, run_status(run, watched=True), vitals))
        else:
            state = run.outcome or run_status(run, watched=True)
            told = f"{sign(state, self._terminal.ascii)} {outcome_sentence(run)}"
            took = elapsed((run.ended_at or now_ms()) - run.started_at)
            for line in self._terminal.wrapped(told):
                self._terminal.line(self._terminal.paint(line, tone(state)))
            turns = counted(run.totals.turns, "turn") if run.totals.turns else ""
            figures = (money(run.totals), turns, took, f"run {run.id}")
            self._terminal.line("  " + "  ".join(figure for figure in figures if figure))
        return status_of(run.outcome)
