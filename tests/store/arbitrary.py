"""Sequences of events as a bad day delivers them: sensible ones, and others in between, late, twice, out of order."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from story import finished, launched, way_to

from store import events as e
from store.machine import DELEGATION
from store.model import Counts, Outcome, Reason, State, Verdict

RUNS = ("run-1", "run-2")
AGENTS = ("api", "ui")
_TEXT = st.text(max_size=8)
_MAYBE = st.none() | _TEXT
_REASONS = st.sampled_from(Reason)
_ATTEMPTS = st.sampled_from([1, 1, 1, 2])
_TOKENS = st.none() | st.integers(0, 99)

COUNTS = st.builds(
    Counts, input=_TOKENS, output=_TOKENS, cache_read=_TOKENS, cache_write=_TOKENS, cost=_TOKENS, estimated=_TOKENS
)


def usage(run: str, agent: str) -> st.SearchStrategy[e.UsageRecorded]:
    """Reports of usage, few requests, so that some replace others."""
    return st.builds(
        e.UsageRecorded,
        run=st.just(run),
        agent=st.just(agent),
        attempt=_ATTEMPTS,
        turns=st.integers(0, 3),
        counts=st.sampled_from([True, True, True, False]).flatmap(lambda counted: COUNTS if counted else st.none()),
        model=st.none() | st.sampled_from(["opus", "sonnet"]),
        request=st.sampled_from(["q1", "q1", "q2", None]),
        at_least=st.booleans(),
        at=st.integers(0, 10**9),
    )


def _of_agent(run: str, agent: str) -> dict[str, st.SearchStrategy[e.Event]]:
    here = {"run": st.just(run), "agent": st.just(agent), "at": st.integers(0, 10**9)}
    sessions = st.none() | st.sampled_from(["s1", "s2"])
    kinds: tuple[tuple[type[e.Event], dict[str, st.SearchStrategy[object]]], ...] = (
        (e.DelegationRefining, {"wave": st.integers(0, 2), "position": st.integers(0, 2)}),
        (e.DelegationDelegated, {"wave": st.integers(0, 2), "position": st.integers(0, 2)}),
        (e.DelegationPaused, {}),
        (e.DelegationUnpaused, {}),
        (
            e.DelegationStarted,
            {
                "attempt": _ATTEMPTS,
                "attempt_id": st.uuids().map(str),
                "cli": st.sampled_from(["claude", "codex"]),
                "session": sessions,
                "deadline": st.none() | st.integers(0, 10**12),
            },
        ),
        (e.DelegationRetrying, {"not_before": st.integers(0, 10**12), "detail": _TEXT}),
        (e.DelegationReported, {"attempt": _ATTEMPTS, "answer_bytes": st.integers(0, 9), "answer_sha256": _MAYBE}),
        (
            e.DelegationAccepted,
            {
                "verdict": st.none() | st.sampled_from(Verdict),
                "quote": _MAYBE,
                "files": st.lists(_TEXT, max_size=2).map(tuple),
                "warning": _MAYBE,
            },
        ),
        (e.DelegationFailed, {"detail": _TEXT}),
        (e.DelegationBlocked, {"detail": _TEXT}),
        (e.DelegationStopping, {"reason": _REASONS, "detail": _MAYBE}),
        (e.DelegationStopped, {"reason": _REASONS, "detail": _MAYBE}),
        (e.DelegationNotStarted, {"reason": _REASONS, "detail": _MAYBE}),
        (
            e.AttemptStarted,
            {
                "attempt": _ATTEMPTS,
                "pid": st.integers(1, 9),
                "start_ticks": st.integers(1, 9),
                "boot": _TEXT,
                "namespace": st.integers(1, 9),
            },
        ),
        (e.AttemptNamed, {"attempt": _ATTEMPTS, "session": sessions, "model": st.none() | st.just("opus")}),
        (
            e.AttemptEnded,
            {
                "attempt": _ATTEMPTS,
                "exit_code": st.none() | st.integers(0, 255),
                "signal": st.none() | st.integers(1, 31),
                "asked": st.none() | _REASONS,
                "result": st.none() | st.just("success"),
                "leftovers": st.integers(0, 2),
                "out_bytes": st.integers(0, 9),
                "err_bytes": st.integers(0, 9),
                "not_understood": st.integers(0, 9),
                "misread": _MAYBE,
            },
        ),
    )
    found: dict[str, st.SearchStrategy[e.Event]] = {kind.type: st.builds(kind, **here, **own) for kind, own in kinds}
    return {**found, e.UsageRecorded.type: usage(run, agent)}


def _of_run(run: str) -> dict[str, st.SearchStrategy[e.Event]]:
    at = st.integers(0, 10**9)
    wave = {"run": st.just(run), "wave": st.integers(0, 2), "name": _TEXT, "at": at}
    return {
        "run.launched": st.builds(launched, st.just(run), at=at),
        "run.paused": st.builds(e.RunPaused, run=st.just(run)),
        "run.unpaused": st.builds(e.RunUnpaused, run=st.just(run)),
        "run.draining": st.builds(e.RunDraining, run=st.just(run), until=at),
        "run.stopping": st.builds(e.RunStopping, run=st.just(run), reason=_REASONS, detail=_MAYBE),
        "run.restored": st.builds(e.RunRestored, run=st.just(run)),
        "run.finished": st.builds(finished, st.just(run), st.sampled_from(Outcome), at=at),
        "run.discarded": st.builds(e.RunDiscarded, run=st.just(run)),
        "wave.started": st.builds(e.WaveStarted, **wave),
        "wave.finished": st.builds(e.WaveFinished, **wave),
    }


_OF_AGENT = {(run, agent): _of_agent(run, agent) for run in RUNS for agent in AGENTS}
_OF_RUN = {run: _of_run(run) for run in RUNS}
_ALWAYS_SENSIBLE = ("attempt.started", "attempt.named", "attempt.ended", "usage.recorded", "usage.recorded")


@st.composite
def happenings(draw: st.DrawFn, *, most: int = 40) -> Sequence[e.Event]:
    """Events of two runs with two agents each: of four, about three make sense where they stand."""
    events: list[e.Event] = [launched(run) for run in RUNS]
    stands: dict[tuple[str, str], State | None] = {}
    for place in sorted(_OF_AGENT):
        stands[place] = draw(st.sampled_from([State.RUNNING, State.RUNNING, State.DELEGATED, State.DELEGATED, None]))
        events.extend(way_to(stands[place], *place))
    for _ in range(draw(st.integers(1, most))):
        luck = draw(st.integers(0, 11))
        place = draw(st.sampled_from(sorted(_OF_AGENT)))
        if luck == 0:
            events.append(draw(st.sampled_from(events)))
        elif luck == 1:
            kinds = _OF_RUN[place[0]]
            events.append(draw(kinds[draw(st.sampled_from(sorted(kinds)))]))
        elif luck == 2:
            kinds = _OF_AGENT[place]
            events.append(draw(kinds[draw(st.sampled_from(sorted(kinds)))]))
        else:
            here = [kind for before, kind in DELEGATION if before is stands[place]]
            kind = draw(st.sampled_from([*here, *here, *_ALWAYS_SENSIBLE]))
            stands[place] = DELEGATION.get((stands[place], kind), stands[place])
            events.append(draw(_OF_AGENT[place][kind]))
    first = draw(st.integers(0, 3))
    return events[first:] if first < 2 else events  # now and then a launch is missing


@st.composite
def batched(draw: st.DrawFn, events: Sequence[e.Event]) -> Sequence[Sequence[e.Event]]:
    """The same events in batches of any size, in the same order."""
    found, rest = [], list(events)
    while rest:
        size = draw(st.integers(1, 6))
        found.append(rest[:size])
        rest = rest[size:]
    return found
