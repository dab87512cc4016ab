"""`midwatch stop`, `drain`, `pause` and `unpause`: ending and holding what is live.

`--json`: `{"verb", "run", "agent", "status", "answer"}`: `status` is the run's, or the agent's state, as it stands
after the answer (after the wait, for `stop`), `null` for everything; `answer` is what the watch said. For `drain` also
`"falls_short"`: the sentence where the system would not wait so long when it goes down, or that it is not known.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, NamedTuple

from harness import requests
from store.paths import Places
from store.views import live_runs, load_run
from tui.commands.options import RUN, describe, name
from tui.commands.reading import reading, reading_run
from tui.errors import NotFound, Refused
from tui.statuses import Status
from tui.text import one_line
from tui.wording import short, word

if TYPE_CHECKING:
    from harness.requests import Answer
    from store.run import Run
    from tui.commands.terminal import Terminal

_HELP = {
    "stop": ("End a run or one agent now, and wait until nothing of it is left.", "midwatch stop @ api"),
    "drain": (
        (
            "Start nothing new in a run; what still runs after N minutes is ended. Without RUN: in every run that is"
            " live now; what is launched later starts as ever (`pause` holds that too)."
        ),
        "midwatch drain --minutes 10",
    ),
    "pause": ("Hold what has not started: everything, a run, or one agent.", "midwatch pause @"),
    "unpause": ("Lift the hold that pause of the same set.", "midwatch unpause @"),
}
_STOP_WAIT_S = 30.0


class _Target(NamedTuple):
    run: str | None
    agent: str | None


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, *_HELP[command])
    parser.add_argument("reference", metavar="RUN", nargs=None if command == "stop" else "?", help=RUN)
    if command == "drain":
        parser.add_argument("--minutes", metavar="N", type=_minutes, default=30.0, help="agents may go on so long (30)")
    else:
        parser.add_argument("agent", metavar="AGENT", type=name, nargs="?", help="one agent of the run")


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= 60 * 24 * 366:
        raise ArgumentTypeError(f"'{text[:40]}' is not a number of minutes")
    return minutes


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Asks the watch for it, and says what became of it."""
    verb = arguments.command
    places = Places.of_environment()
    target = _target(places, arguments.reference, getattr(arguments, "agent", None))
    if verb == "drain" and target.run is None and not _anything_live(places):
        raise Refused("nothing is live, so there is nothing to drain")
    answer = _ask(places, verb, target, arguments)
    ended = verb != "stop" or _wait_until_stopped(places, target)
    stands = None if target.run is None else _stands(places, target)
    if arguments.json:
        document = {
            "verb": verb,
            "run": target.run,
            "agent": target.agent,
            "status": stands,
            "answer": dict(answer.facts),
        }
        terminal.document(document | ({"falls_short": _falls_short(places, arguments)} if verb == "drain" else {}))
    else:
        terminal.line(_sentence(verb, target, stands, ended=ended))
        if verb == "drain" and (sentence := _falls_short(places, arguments)):
            terminal.note(f"midwatch: {sentence}")
    return Status.OK


def _target(places: Places, reference: str | None, agent: str | None) -> _Target:
    """The run and agent that are meant; what cannot apply is refused here, without starting a watch for it."""
    if reference is None:
        return _Target(None, None)
    with reading_run(places, reference) as (connection, found):
        run = load_run(connection, found)
    if not run.live:
        raise Refused(f"run {run.id} has finished ({run.outcome}); `midwatch show {short(run.id)}` tells how")
    if agent is not None:
        _expect_agent(run, agent)
    return _Target(run.id, agent)


def _expect_agent(run: Run, agent: str) -> None:
    if agent not in run.delegations:
        from harness.nearest import quoted, suggestion

        raise NotFound(f"run {run.id} has no agent {quoted(agent)}; {suggestion(agent, list(run.delegations))}")
    delegation = run.delegations[agent]
    if delegation.final:
        raise Refused(f"agent '{agent}' of run {run.id} is {word(delegation.state)} already")


def _anything_live(places: Places) -> bool:
    with reading(places) as connection:
        return connection is not None and bool(live_runs(connection))


def _ask(places: Places, verb: str, target: _Target, arguments: Namespace) -> Answer:
    if verb == "stop":
        assert target.run is not None
        return requests.stop(places, target.run, target.agent)
    if verb == "drain":
        return requests.drain(places, target.run, minutes=arguments.minutes)
    hold = requests.pause if verb == "pause" else requests.unpause
    return hold(places, target.run, target.agent)


def _falls_short(places: Places, arguments: Namespace) -> str | None:
    """What the person must know when the system would not wait for the end of this drain (R15)."""
    from harness.grace import grace
    from harness.lock import holder

    watch = holder(places.watch_lock)
    return None if watch is None or watch.pid is None else grace(watch.pid).falls_short(arguments.minutes)


def _wait_until_stopped(places: Places, target: _Target) -> bool:
    """Whether nothing of it is left now; `stop` was recorded before, whatever becomes of this wait (R14, R16)."""
    from tui.commands.following import wait_for

    assert target.run is not None

    def ended(run: Run) -> bool:
        return not run.live if target.agent is None else run.delegations[target.agent].final

    return wait_for(places, target.run, ended, _STOP_WAIT_S)


def _stands(places: Places, target: _Target) -> str:
    from store.views import harness_paused
    from tui.commands.reading import watched
    from tui.standing import run_status

    assert target.run is not None
    with reading_run(places, target.run) as (connection, found):
        run, paused = load_run(connection, found), harness_paused(connection)
    if target.agent is not None:
        return run.delegations[target.agent].state
    return run_status(run, watched=run.live and watched(places), harness_paused=paused)


def _sentence(verb: str, target: _Target, stands: str | None, *, ended: bool) -> str:
    if target.run is None:
        return {
            "drain": "draining: nothing new starts in the runs that are live now; a later launch starts as ever",
            "pause": "paused: nothing new starts anywhere until `midwatch unpause`",
            "unpause": "the hold on everything is lifted",
        }[verb]
    what = f"run {target.run}" if target.agent is None else f"agent {one_line(target.agent)} of run {target.run}"
    if verb == "stop":
        return f"{what} is stopped" if ended else f"{what} is still stopping; see `midwatch show {short(target.run)}`"
    if verb == "drain":
        return f"{what} is draining: nothing new starts in it"
    return f"{what} is held until `midwatch unpause`" if verb == "pause" else f"the hold on {what} is lifted"
