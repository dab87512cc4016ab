"""Everything that a key does, in one table: bindings, footer, help, palette and a person's own keys derive from it.

An action has an id for ever (`[keys]` of the settings and the palette name it), says when it is possible and, when not,
why. What it does is a method `do_…` of the screen that it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.situation import (
    Pane,
    Situation,
    When,
    may_drain,
    may_go_in,
    may_launch,
    may_pause,
    may_stop,
    needs_attempt,
    needs_live_run,
    needs_nothing,
    needs_run,
    needs_search,
)

if TYPE_CHECKING:
    from textual.binding import BindingType


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """One thing that can be done. `keys` are Textual's names; none: only in the palette."""

    id: str
    keys: tuple[str, ...] = ()
    shown: str = ""
    """The key as people write it."""
    label: str
    help: str
    when: When = needs_nothing
    footer: int = 0
    """Its place in the footer, from 1; 0: not there."""


ACTIONS: tuple[Action, ...] = (
    Action(
        id="launch",
        keys=("n",),
        shown="n",
        label="launch",
        footer=3,
        when=may_launch,
        help="Launch the selected workflow: its inputs, its plan, then go.",
    ),
    Action(
        id="in",
        keys=("enter", "right", "l"),
        shown="enter",
        label="open",
        footer=1,
        when=may_go_in,
        help="One step inwards: workflows, runs, agents, output.",
    ),
    Action(
        id="out",
        keys=("escape", "left", "h"),
        shown="esc",
        label="back",
        footer=2,
        help="One step back outwards; ends a filter or a search first.",
    ),
    Action(id="next-pane", keys=("tab",), shown="tab", label="next pane", help="To the next pane."),
    Action(
        id="previous-pane", keys=("shift+tab",), shown="shift+tab", label="previous pane", help="To the pane before."
    ),
    Action(id="down", keys=("down", "j"), shown="j", label="down", help="Down one row."),
    Action(id="up", keys=("up", "k"), shown="k", label="up", help="Up one row."),
    Action(id="page-down", keys=("pagedown", "space"), shown="pgdn", label="page down", help="Down one screenful."),
    Action(id="page-up", keys=("pageup",), shown="pgup", label="page up", help="Up one screenful."),
    Action(id="top", keys=("home", "g"), shown="g", label="top", help="To the first row."),
    Action(
        id="bottom",
        keys=("end", "G"),
        shown="G",
        label="bottom",
        help="To the last row; in the output: follow what comes.",
    ),
    Action(
        id="filter",
        keys=("slash",),
        shown="/",
        label="filter",
        footer=9,
        help="Show only rows with these words (!word: without it); in the output: search.",
    ),
    Action(
        id="earlier",
        keys=("less_than_sign",),
        shown="<",
        label="earlier match",
        footer=4,
        when=needs_search,
        help="To the match before.",
    ),
    Action(
        id="later",
        keys=("greater_than_sign",),
        shown=">",
        label="later match",
        footer=5,
        when=needs_search,
        help="To the match after.",
    ),
    Action(
        id="stop",
        keys=("s",),
        shown="s",
        label="stop",
        footer=6,
        when=may_stop,
        help="End the run, or the selected agent, now. Asks first.",
    ),
    Action(
        id="stop-run",
        keys=("S",),
        shown="S",
        label="stop the run",
        when=needs_live_run,
        help="End the whole run now, whatever is selected. Asks first.",
    ),
    Action(
        id="drain",
        keys=("d",),
        shown="d",
        label="drain",
        footer=7,
        when=may_drain,
        help="Start nothing new in the run and let running agents finish within some minutes. Asks first.",
    ),
    Action(
        id="pause",
        keys=("p",),
        shown="p",
        label="pause",
        footer=8,
        when=may_pause,
        help="Hold what has not started in the run, or the selected waiting agent; again: let it go on.",
    ),
    Action(id="pause-all", label="pause everything", help="Hold what has not started, in every run."),
    Action(id="unpause-all", label="unpause everything", help="Lift the hold on everything."),
    Action(
        id="drain-all",
        label="drain live runs",
        help="Start nothing new in the runs that are live now; running agents have some minutes. Asks first.",
    ),
    Action(
        id="pager",
        keys=("o",),
        shown="o",
        label="open in pager",
        when=needs_attempt,
        help="The whole output of the agent, as it is shown, in $PAGER.",
    ),
    Action(
        id="journal",
        keys=("O",),
        shown="O",
        label="open the journal",
        when=needs_attempt,
        help="What the agent printed, line for line as it printed it, in $PAGER (control sequences made harmless).",
    ),
    Action(
        id="copy",
        keys=("y",),
        shown="y",
        label="copy",
        help="Send what is selected to the clipboard of your terminal: output in view, run id, path.",
    ),
    Action(
        id="events",
        keys=("e",),
        shown="e",
        label="events",
        help="What happened to the selected agent, or in the run, event by event.",
    ),
    Action(
        id="timeline",
        keys=("T",),
        shown="T",
        label="over time",
        when=needs_run,
        help="The selected run over time: waves and agents as bars, and what happened when.",
    ),
    Action(
        id="history",
        keys=("H",),
        shown="H",
        label="history",
        help="All runs by words, outcome, workflow, date and cost; and words in everything that agents printed.",
    ),
    Action(
        id="usage",
        keys=("u",),
        shown="u",
        label="usage",
        footer=10,
        help="What it cost, by workflow, run, agent, model and day.",
    ),
    Action(
        id="recovery",
        keys=("R",),
        shown="R",
        label="recover",
        help="What was cut off by a crash or a restart: take agents up again, or discard a run.",
    ),
    Action(
        id="away",
        keys=("w",),
        shown="w",
        label="while you were away",
        help="What ended since you last looked, what it cost, and what waits for you.",
    ),
    Action(
        id="letters",
        keys=("D",),
        shown="D",
        label="dead letters",
        help="Events that nobody took and transitions that were refused: read, try again, drop.",
    ),
    Action(
        id="credentials",
        keys=("C",),
        shown="C",
        label="credentials",
        help="Sign-ins that failed and limits that were reached, on which nothing is launched: read, test, clear.",
    ),
    Action(id="theme", keys=("t",), shown="t", label="light or dark", help="Switch between a light and a dark theme."),
    Action(id="themes", label="choose a theme", help="All themes, by name."),
    Action(id="palette", keys=("ctrl+p",), shown="^p", label="commands", help="Every action by name."),
    Action(id="help", keys=("question_mark", "f1"), shown="?", label="help", footer=98, help="This text."),
    Action(
        id="quit",
        keys=("q",),
        shown="q",
        label="quit",
        footer=99,
        help="Leave the screen. Runs go on without it; with live runs it asks first (q again leaves).",
    ),
)

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}

FIXED = frozenset({"palette"})
"""Actions whose key Textual itself binds."""


def bindings(ids: Iterable[str] | None = None) -> list[BindingType]:
    """The bindings of these actions (of all), each under the id by which a person may give it another key."""
    from textual.binding import Binding

    wanted = [BY_ID[one] for one in ids] if ids is not None else ACTIONS
    return [
        Binding(",".join(action.keys), f"act('{action.id}')", action.label, id=action.id, show=False)
        for action in wanted
        if action.keys and action.id not in FIXED
    ]


def hints(here: Situation, keys: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the footer offers here: (key, word), help and quit last. `keys` are those that a person changed."""
    offered = [
        action
        for action in ACTIONS
        if action.footer and action.when(here) is None and not (action.id == "out" and here.pane is Pane.WORKFLOWS)
    ]
    offered.sort(key=lambda action: action.footer)
    return [(keys.get(action.id, action.shown), _word(action, here)) for action in offered]


def _word(action: Action, here: Situation) -> str:
    if action.id == "pause":
        held = here.agent.held if here.of_agent and here.agent is not None else here.run is not None and here.run.paused
        return "unpause" if held else "pause"
    if action.id == "filter" and here.pane is Pane.OUTPUT:
        return "search"
    return action.label
