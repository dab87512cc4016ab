"""The course of one live run: the run as folded so far, who is at work, and what this moment led to.

Events are applied here first and recorded next; only then are the acts done that depend on them. Nothing is forked,
signalled or answered before the record knows why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from harness.admission import NOTHING, Spent
from harness.at_work import AtWork, TakenUp
from harness.credentials import Credentials
from harness.messages import Message
from store import events as e
from store.fold import Folded, step
from store.machine import next_delegation_state, next_run_state
from store.record import Batch, Handled
from store.run import Run

_WORDS = ("detail", "message", "quote", "warning", "misread", "why")
"""What events hold of the words of agents and their CLIs, which may have a secret in them."""

Act = Callable[[], None]


class Course:
    """What the parts of a conductor share."""

    def __init__(self, folded: Folded, credentials: Credentials, *, masked: Callable[[str], str] = str) -> None:
        """`masked`: what hides the secrets of the run's environment in the words that are recorded."""
        self._folded = folded
        self._masked = masked
        self.credentials = credentials
        self._queue: asyncio.Queue[Message] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._events: list[e.Event] = []
        self._batches: list[Batch] = []
        self._acts: list[Act] = []
        self.at_work: dict[str, AtWork] = {}
        self.below: dict[str, tuple[str, Spent]] = {}
        """By run that an agent of this one launched: the agent, and what that run has used."""
        self.interrupting = False
        self.again: dict[str, TakenUp | None] = {}
        """By agent that is tried again: the attempt that it takes up, if it takes one up."""
        self.asked_again: set[str] = set()
        """Agents that will be tried again as soon as their last attempt has been looked back at."""

    @property
    def run(self) -> Run:
        """The run as it stands, everything emitted so far included."""
        return self._folded.run

    def spent_below(self, agent: str | None = None) -> Spent:
        """What the runs have used that this agent launched, or any of its agents."""
        return sum((spent for by, spent in self.below.values() if agent in (None, by)), NOTHING)

    def emit(self, event: e.Event) -> bool:
        """Whether the machine admits the event; then it is applied and waits to be recorded."""
        kind = event.type.partition(".")[0]
        if kind == "delegation":
            before = self.run.delegations.get(event.agent or "")
            if next_delegation_state(before.state if before else None, event.type) is None:
                return False
        elif kind == "run" and next_run_state(self.run.state, event.type) is None:
            return False
        event = self._without_secrets(event)
        folded = step(self._folded, event)
        assert folded is not None
        self._folded = folded
        self._events.append(event)
        if kind == "delegation" and self.run.delegations[event.agent or ""].final:
            self._ended(event.agent or "")
        return True

    def _without_secrets(self, event: e.Event) -> e.Event:
        words = {name: getattr(event, name, None) for name in _WORDS}
        hidden: dict[str, Any] = {name: self._masked(text) for name, text in words.items() if text}
        return replace(event, **hidden) if any(hidden[name] != words[name] for name in hidden) else event

    def _ended(self, agent: str) -> None:
        self.at_work.pop(agent, None)
        wave = self.run.delegations[agent].wave
        if wave == self.run.wave and all(one.final for one in self.run.of_wave(wave)):
            self.emit(e.WaveFinished(run=self.run.id, wave=wave, name=self.run.plan.waves[wave].name))

    def act(self, act: Act) -> None:
        """Does something once everything emitted so far is recorded."""
        self._acts.append(act)

    def act_apart(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begins a task once everything emitted so far is recorded; the run does not wait for it."""
        self._acts.append(lambda: self._spawn(work()))

    def close_batch(self, handled: Handled | None = None) -> None:
        """Ends a batch: what was emitted since the last one, and the request that it answers."""
        if self._events or handled is not None:
            self._batches.append(Batch(events=tuple(self._events), handled=handled))
            self._events = []

    def taken(self) -> tuple[Sequence[Batch], Sequence[Act]]:
        """What waits to be recorded and what is to be done after; both are empty then."""
        self.close_batch()
        batches, acts = self._batches, self._acts
        self._batches, self._acts = [], []
        return batches, acts

    def put(self, message: Message) -> None:
        """Hands the run something to take into account; from the event loop only."""
        self._queue.put_nowait(message)

    async def messages(self) -> list[Message]:
        """Everything that has come, at least one message."""
        come = [await self._queue.get()]
        while not self._queue.empty():
            come.append(self._queue.get_nowait())
        return come

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
