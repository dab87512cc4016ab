"""Help: every key with what it does, every sign with what it means; made from the tables, so that none is stale."""

from __future__ import annotations

from collections.abc import Iterable

from store.model import Outcome, RunStatus, State
from tui.actions import ACTIONS
from tui.commands.tones import tone
from tui.lines import Span
from tui.screens.reading import Reading
from tui.text import one_line
from tui.tilde import with_tilde
from tui.wording import sign, word

_HANGING = 40
_MEANS = {
    State.DELEGATED: "handed over, waits for its turn",
    State.RUNNING: "at work",
    State.REVIEW: "its result is being read",
    State.STOPPING: "asked to end; its processes are not proven gone yet",
    State.DONE: "finished its work",
    State.FAILED: "failed, for good; the line below it says what failed",
    State.BLOCKED: "could not proceed and said so",
    State.STOPPED: "ended by a person or a limit",
    State.NOT_STARTED: "was never launched",
    Outcome.COMPLETED: "nothing of the below",
    Outcome.WITH_FAILURES: "some agents failed, the rest stands",
    Outcome.BLOCKED: "an agent could not proceed, or a required check gave no verdict",
    Outcome.NOT_ACCEPTED: "a reviewer or tester wrote a rejection",
    Outcome.STOPPED: "a person or a gate halted it",
    RunStatus.LIVE: "goes on, whether anybody looks or not",
    RunStatus.PAUSED: "what has not started is held",
    RunStatus.DRAINING: "starts nothing new, lets running agents finish",
    RunStatus.UNSETTLED: "recorded as live, but its watch is gone; the next start settles it",
}


class Help(Reading):
    """Keys, signs, words."""

    def __init__(self) -> None:
        super().__init__(heading="Help")
        self.page.hanging = _HANGING

    def text(self) -> Iterable[Span]:
        """All of it."""
        keys = self.midwatch.keys
        yield "Keys", "bold"
        for action in ACTIONS:
            key = keys.get(action.id, ", ".join([action.shown, *_others(action.keys, action.shown)]))
            yield f"  {key or '^p':<18} {action.label:<18} {action.help}", ""
        yield "", ""
        yield "Signs of agents", "bold"
        yield from (self._sign(state) for state in State if state in _MEANS)
        yield "", ""
        yield "Signs of runs and workflows", "bold"
        yield from (self._sign(state) for state in (*RunStatus, *Outcome) if state in _MEANS)
        yield "", ""
        yield "Figures", "bold"
        yield "  $1.84+    at least: some of what was used came without figures", ""
        yield "  ?         unknown, which is not zero", ""
        yield "  partial   the run is live, more will come", ""
        yield "  estimated from tokens and a price list; estimates are not bills", ""
        yield "  quiet 3m  the agent has given no sign of life for so long", ""
        yield "", ""
        yield "Places", "bold"
        places = self.midwatch.places
        yield f"  your workflows      {with_tilde(one_line(str(places.workflows)))}", ""
        yield "  a project's         .midwatch/ in the project; launched only once you trusted it", ""
        yield f"  settings and keys   {with_tilde(one_line(str(places.settings)))}", ""
        yield f"  the record          {with_tilde(one_line(str(places.record)))}", ""
        yield "", ""
        yield "Whatever the screen does can be done without it: `midwatch --help`.", "dim"

    def _sign(self, state: State | Outcome | RunStatus) -> Span:
        return f"  {sign(state, self.midwatch.ascii)} {word(state):<24} {_MEANS[state]}", tone(state) or ""


def _others(keys: tuple[str, ...], shown: str) -> list[str]:
    """The other keys of an action, as people write them."""
    names = {"question_mark": "?", "slash": "/", "less_than_sign": "<", "greater_than_sign": ">", "escape": "esc"}
    names |= {"pagedown": "pgdn", "pageup": "pgup", "ctrl+p": "^p"}
    return [names.get(key, key) for key in keys if names.get(key, key) != shown]
