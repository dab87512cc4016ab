"""How an attempt ended (A5): the first row that holds.

| we had asked it to end | exit | final result of the CLI | state |
| --- | --- | --- | --- |
| before its `done` was committed | any | any | stopped (reason) |
| no | a signal, unknown or any status but 0, near the watch's own end or a reboot | none | stopped (interrupted) |
| no, or to tidy up | any | success, but tools were denied with nobody there | blocked |
| only to tidy up | any | success | done |
| no | 0 | success | done |
| no | any other | success | done, with a warning |
| no | any | error | failed |
| no | a status | none, and it said that it could not proceed | blocked |
| no | 0 | none, and its exit status is its result | done (accepted, with a vote) |
| no | a status that rejects | none, and its exit status is its vote (O10) | done (rejected) |
| no | 0 | none, though this CLI always gives one | failed |
| no | 0 | none, and the last failure it reported was final | failed |
| no | 0 | none | done |
| no | any other | none | failed |
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from harness.reports import Failure, Result
from store.model import Reason, State, Verdict

_LONGEST_MESSAGE = 2_000  # characters of a CLI's own error in a detail


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptFacts:
    """All that the ending is decided from.

    `asked`: why we had asked it to end, if we had; `done_committed`: only after its `done` was committed. `tidy_up`: we
    ended its process because its result was there. `code` and `signal`: both `None` when nobody knows how it ended.
    `interrupted_near`: the watch was told to end within 2 s of it, or the boot id changed. `failures`: the structured
    ones, oldest first. `blocked`: what it reported as the reason that it cannot proceed. `gives_result`: this CLI
    always gives a final result. `by_exit`: a command whose exit status is its result; with a vote, `reject_on` are the
    statuses that reject.
    """

    code: int | None = None
    signal: int | None = None
    asked: Reason | None = None
    done_committed: bool = False
    tidy_up: bool = False
    interrupted_near: bool = False
    result: Result | None = None
    failures: tuple[Failure, ...] = ()
    blocked: str | None = None
    gives_result: bool = False
    by_exit: bool = False
    votes: bool = False
    reject_on: tuple[int, ...] = (1,)

    @property
    def exit(self) -> str:
        """How its process ended, as the half of a sentence that follows 'it'."""
        if self.signal is not None:
            return f"was ended by {_signal_name(self.signal)}"
        return "ended in a way that nobody saw" if self.code is None else f"exited with status {self.code}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """What an attempt came to. `detail`: the sentence for a failed or blocked one, never empty there."""

    state: State
    reason: Reason | None = None
    detail: str | None = None
    verdict: Verdict | None = None
    warning: str | None = None


def ending(facts: AttemptFacts) -> Ending:
    """The ending of an attempt whose process tree is gone."""
    if facts.asked is not None and not facts.done_committed:
        return Ending(state=State.STOPPED, reason=facts.asked, detail=f"it {facts.exit} after it was asked to end")
    if facts.result is not None:
        return _with_result(facts, facts.result)
    if facts.interrupted_near and _cut_off(facts):
        return Ending(
            state=State.STOPPED, reason=Reason.INTERRUPTED, detail=f"it {facts.exit} when the watch or the system ended"
        )
    return _without_result(facts)


def _cut_off(facts: AttemptFacts) -> bool:
    """A shutdown tells everybody at once, and a program that catches TERM may leave with any status."""
    return facts.signal is not None or facts.code != 0


def _with_result(facts: AttemptFacts, result: Result) -> Ending:
    if not result.ok:
        message = result.error or _last(facts.failures) or result.text
        return _failed(f"it {facts.exit} and reported an error", message)
    if result.denied:
        tools = ", ".join(dict.fromkeys(result.denied))
        return Ending(state=State.BLOCKED, detail=f"tools were denied, with nobody there to allow them: {tools}")
    if facts.code == 0 or facts.tidy_up or facts.done_committed:
        return Ending(state=State.DONE)
    return Ending(state=State.DONE, warning=f"it {facts.exit}, though it reported success")


def _without_result(facts: AttemptFacts) -> Ending:
    exited = facts.code is not None and facts.signal is None
    given_up = _last([one for one in facts.failures[-1:] if not one.retrying])
    if facts.blocked is not None and exited:
        return Ending(state=State.BLOCKED, detail=facts.blocked.strip() or "it could not proceed and gave no reason")
    if facts.by_exit and exited and facts.code == 0:
        return Ending(state=State.DONE, verdict=Verdict.ACCEPTED if facts.votes else None)
    if facts.by_exit and exited and facts.votes and facts.code in facts.reject_on:
        return Ending(state=State.DONE, verdict=Verdict.REJECTED)
    if not exited or facts.code != 0:
        return _failed(f"it {facts.exit}", given_up)
    if facts.gives_result:
        return _failed(f"it {facts.exit} without a result", given_up)
    if given_up is not None:
        return _failed(f"it {facts.exit}, but reported an error", given_up)
    return Ending(state=State.DONE)


def _last(failures: Sequence[Failure]) -> str | None:
    if not failures:
        return None
    last = failures[-1]
    return last.message if last.resets_at is None else f"{last.message} (resets at {last.resets_at})"


def _failed(what: str, message: str | None) -> Ending:
    shown = (message or "").strip()
    if len(shown) > _LONGEST_MESSAGE:
        shown = f"{shown[:_LONGEST_MESSAGE]}\u2026 ({len(shown) - _LONGEST_MESSAGE:,} more characters in its journal)"
    return Ending(state=State.FAILED, detail=f"{what}: {shown}" if shown else what)


def _signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} ({number})"
    except ValueError:
        return f"signal {number}"
