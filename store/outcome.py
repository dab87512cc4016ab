"""What a finished run resolves to: facts → one of five outcomes, pure (O1, O2, O7, O8, K6).

Nothing in here knows when something happened, so the order in which events arrived cannot change an outcome (O3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from store.model import FINAL_STATES, RUNNING_STATES, WAITING_STATES, Outcome, Reason, Role, State, Verdict
from store.run import Run

_NAMED_AT_MOST = 5
_OF_ITS_CREDENTIAL = frozenset({Reason.USAGE_LIMIT, Reason.SIGN_IN})  # K1, K6: others would have failed the same way
_SENTENCES = {
    Reason.OPERATOR: "a person stopped the run",
    Reason.INTERRUPTED: "it was cut off while it ran",
    Reason.USAGE_LIMIT: "a usage limit was reached",
    Reason.SIGN_IN: "signing in failed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentFacts:
    """How one agent of a finished run stands."""

    name: str
    role: Role
    state: State
    reason: Reason | None = None
    verdict: Verdict | None = None

    @property
    def rejected(self) -> bool:
        """Whether it has a vote and used it to reject; a rejection once heard holds, whatever became of the agent."""
        return self.role.votes and self.verdict is Verdict.REJECTED

    @property
    def without_verdict(self) -> bool:
        """Whether a verdict of it is due and neither accepts nor rejects (O8)."""
        decided = self.rejected or (self.state is State.DONE and self.verdict is Verdict.ACCEPTED)
        return self.role.votes and not decided


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """What the outcome of a run is decided from. `halted`: why a person or a gate of the run stopped it, if so."""

    agents: tuple[AgentFacts, ...]
    halted: Reason | None = None
    halted_detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolution:
    """The outcome, the narrow fact beside it (O2), and the sentence that a person reads."""

    outcome: Outcome
    reached_end: bool
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How many agents stand where; the numbers add up to all of them."""

    done: int
    failed: int
    blocked: int
    stopped: int
    not_started: int
    running: int
    waiting: int


def tally(states: Iterable[State]) -> Tally:
    """The tally of these states: the same for the screen, for `--json` and for the next wave (O5)."""
    counted = Counter(states)
    return Tally(
        done=counted[State.DONE],
        failed=counted[State.FAILED],
        blocked=counted[State.BLOCKED],
        stopped=counted[State.STOPPED],
        not_started=counted[State.NOT_STARTED],
        running=sum(counted[state] for state in RUNNING_STATES),
        waiting=sum(counted[state] for state in WAITING_STATES),
    )


def facts_of(run: Run) -> RunFacts:
    """The facts of a run; an agent that was planned and never delegated counts as not started."""
    agents = []
    for wave in run.plan.waves:
        for planned in wave.agents:
            one = run.delegations.get(planned.name)
            agents.append(
                AgentFacts(
                    name=planned.name,
                    role=planned.role,
                    state=State.NOT_STARTED if one is None else one.state,
                    reason=None if one is None else one.reason,
                    verdict=None if one is None else one.verdict,
                )
            )
    return RunFacts(agents=tuple(agents), halted=run.halted, halted_detail=run.halted_detail)


def resolve(run: Run) -> Resolution:
    """What `run` resolves to, now that every agent of it has ended; `ValueError` when one has not."""
    facts = facts_of(run)
    return Resolution(outcome=outcome(facts), reached_end=reached_end(facts), why=why(facts))


def outcome(facts: RunFacts) -> Outcome:
    """The first of the five that holds (O1); `ValueError` while an agent has not ended."""
    for agent in facts.agents:
        if agent.state not in FINAL_STATES:
            raise ValueError(f"a run has no outcome while {agent.name} is {agent.state}")
    if facts.halted is not None:
        return Outcome.STOPPED
    if any(agent.rejected for agent in facts.agents):
        return Outcome.NOT_ACCEPTED
    if any(map(_blocks, facts.agents)):
        return Outcome.BLOCKED
    if any(agent.state is not State.DONE for agent in facts.agents):
        return Outcome.WITH_FAILURES
    return Outcome.COMPLETED


def reached_end(facts: RunFacts) -> bool:
    """Whether a finished run got to its last step without an abort (O2). Not success: everybody may have failed."""
    return facts.halted is None


def why(facts: RunFacts) -> str:
    """The sentence beside the outcome: what decided it and by whom, then how many failed, were stopped or not started.

    One line without a full stop; at most five agents are named, the others counted.
    """
    resolved = outcome(facts)
    parts = []
    if facts.halted is not None:
        parts.append(" ".join((facts.halted_detail or "").split()) or _sentence(facts.halted))
    parts += _clause([one for one in facts.agents if one.rejected], "rejected")
    parts += _clause([one for one in facts.agents if one.state is State.BLOCKED], "could not proceed")
    if resolved is Outcome.BLOCKED:
        parts += _blocking(facts)
    parts += _share(facts, State.FAILED, "failed")
    if resolved is not Outcome.STOPPED:
        parts += _share(facts, State.STOPPED, "stopped")
        parts += _share(facts, State.NOT_STARTED, "not started")
    if resolved is Outcome.COMPLETED:
        parts.append("its only agent is done" if len(facts.agents) == 1 else f"all {len(facts.agents)} agents are done")
        parts += _clause([one for one in facts.agents if one.role.votes], "accepted")
    return "; ".join(parts)


def _blocks(agent: AgentFacts) -> bool:
    return agent.state is State.BLOCKED or agent.without_verdict or _held_back(agent)


def _held_back(agent: AgentFacts) -> bool:
    return agent.state is State.NOT_STARTED and agent.reason in _OF_ITS_CREDENTIAL


def _blocking(facts: RunFacts) -> list[str]:
    undecided = [one for one in facts.agents if one.without_verdict and one.state is not State.BLOCKED]
    unable = [one for one in undecided if one.verdict is Verdict.BLOCKED]
    held_back = {one.reason for one in facts.agents if _held_back(one)}
    return [
        *_clause(unable, "could not judge"),
        *_clause([one for one in undecided if one not in unable], "gave no verdict"),
        *(_sentence(reason) for reason in Reason if reason in held_back),
    ]


def _sentence(reason: Reason) -> str:
    return _SENTENCES.get(reason, f"halted: {reason}")


def _clause(agents: Sequence[AgentFacts], did: str) -> list[str]:
    return [f"{_listed([one.name for one in agents])} {did}"] if agents else []


def _share(facts: RunFacts, state: State, word: str) -> list[str]:
    names, total = [one.name for one in facts.agents if one.state is state], len(facts.agents)
    if not names:
        return []
    if total == 1:
        return [f"its only agent {word}: {names[0]}"]
    counted = f"all {total}" if len(names) == total else f"{len(names)} of {total}"
    return [f"{counted} agents {word}: {_listed(names)}"]


def _listed(names: Sequence[str]) -> str:
    if len(names) > _NAMED_AT_MOST:
        return f"{', '.join(names[:_NAMED_AT_MOST])} and {len(names) - _NAMED_AT_MOST} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
