"""What one watch remembers of credentials that do not work, for as long as it lives (K1–K6). Pure: told, and asked.

A credential is known by its shape (K2). One that was changed has another shape, so what is remembered of the old one is
dropped as soon as the new one is seen (K3). Only structured failures of a CLI itself set anything here (K4).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from harness.agents.base import CredentialShape
from harness.reports import ErrorKind, Failure
from store import events as e
from store.credentials import Remembered, Standing
from store.ids import now_ms

MOST_RETRIES = 8
"""Attempts in a row, of whatever agents, that a rate limit or an overload may end on one credential (K5)."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 600.0
_EVENTS: Mapping[Standing, Callable[..., e.CredentialHeld | e.CredentialDied | e.CredentialLimited]] = {
    Standing.HELD: e.CredentialHeld,
    Standing.DIED: e.CredentialDied,
    Standing.LIMITED: e.CredentialLimited,
}
_PASSES = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED})


@dataclass(frozen=True, kw_only=True, slots=True)
class Finder:
    """The attempt that finds something out."""

    run: str
    agent: str
    attempt: int
    cli: str


@dataclass(kw_only=True, slots=True)
class _Pace:
    """How often in a row the provider asked for patience, and until when (ms) nothing more is launched."""

    tries: int = 0
    not_before: int = 0


class Credentials:
    """One per watch. `changed` is called whenever what may be launched has changed."""

    def __init__(
        self,
        *,
        changed: Callable[[], object] = lambda: None,
        now: Callable[[], int] = now_ms,
        spread: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._remembered: dict[str, Remembered] = {}
        self._paces: dict[str, _Pace] = {}
        self._changed = changed
        self._now = now
        self._spread = spread

    def standing(self, shape: CredentialShape) -> Remembered | None:
        """What is remembered of it; `None` when nothing keeps a CLI from being launched on it."""
        return self._remembered.get(shape.key)

    def knows(self, key: str) -> bool:
        """Whether anything is remembered of the credential with this key."""
        return key in self._remembered

    def overcome(self, shape: CredentialShape) -> list[e.CredentialCleared]:
        """What need not be remembered any more once this credential is seen: limits that are over, and older selves."""
        cleared = []
        for key, one in list(self._remembered.items()):
            if key != shape.key and key.rpartition(":")[0] == shape.key.rpartition(":")[0]:
                cleared.append(self._clear(key, "it was changed or saved again"))
            elif key == shape.key and _over(one, self._now()):
                cleared.append(self._clear(key, "the limit was to be reset by now"))
        return cleared

    def not_before(self, shape: CredentialShape) -> int:
        """The moment (ms) before which nothing is launched on it; 0 for at once."""
        pace = self._paces.get(shape.key)
        return 0 if pace is None else pace.not_before

    def heard(self, shape: CredentialShape, failure: Failure, finder: Finder) -> e.Event | None:
        """What a structured failure leads to, if to anything new."""
        if failure.kind is ErrorKind.AUTH:
            return self._refused(shape, failure.message, finder, Standing.HELD if failure.retrying else Standing.DIED)
        if failure.kind is ErrorKind.USAGE_LIMIT and not failure.retrying:
            return self._refused(shape, failure.message, finder, Standing.LIMITED, resets_at=failure.resets_at)
        return None

    def ended(self, shape: CredentialShape, finder: Finder, last: Failure | None) -> e.Event | None:
        """What the bad end of an attempt leads to; `last` is the last structured failure it reported."""
        if last is not None and last.kind is ErrorKind.AUTH:
            return self._refused(shape, last.message, finder, Standing.DIED)
        one = self._remembered.get(shape.key)
        if one is not None and one.standing is Standing.HELD and (one.run, one.agent) == (finder.run, finder.agent):
            return self._clear(shape.key, "the attempt that was signing in has ended otherwise")
        return None

    def got_through(self, shape: CredentialShape) -> e.CredentialCleared | None:
        """A provider answered on it: whatever was remembered is over (K1)."""
        self._paces.pop(shape.key, None)
        return self._clear(shape.key, "it works again") if shape.key in self._remembered else None

    def retry(self, shape: CredentialShape, failure: Failure) -> int | None:
        """When (ms) an attempt that this failure ended is tried again; `None` when it is not, or not any more (K5)."""
        if failure.kind not in _PASSES:
            return None
        pace = self._paces.setdefault(shape.key, _Pace())
        if pace.tries >= MOST_RETRIES:
            return None
        pause = min(FIRST_PAUSE_S * 2**pace.tries, LONGEST_PAUSE_S)
        pace.tries += 1
        pace.not_before = self._now() + int(1000 * pause * self._spread(0.5, 1.5))
        return pace.not_before

    def forget(self, key: str, why: str) -> e.CredentialCleared | None:
        """Nothing is remembered of it any more, because somebody said so."""
        self._paces.pop(key, None)
        return self._clear(key, why) if key in self._remembered else None

    def _refused(
        self,
        shape: CredentialShape,
        message: str,
        finder: Finder,
        standing: Standing,
        *,
        resets_at: str | None = None,
    ) -> e.Event | None:
        before = self._remembered.get(shape.key)
        if before is not None and (before.standing is standing or before.standing is not Standing.HELD):
            return None
        one = Remembered(
            key=shape.key,
            standing=standing,
            cli=finder.cli,
            at=self._now(),
            run=finder.run,
            agent=finder.agent,
            attempt=finder.attempt,
            message=message,
            resets_at=resets_at,
        )
        self._remembered[shape.key] = one
        self._changed()
        return event_of(one)

    def _clear(self, key: str, why: str) -> e.CredentialCleared:
        del self._remembered[key]
        self._changed()
        return e.CredentialCleared(key=key, why=why, at=self._now())


def event_of(one: Remembered) -> e.CredentialHeld | e.CredentialDied | e.CredentialLimited:
    """The event that records it."""
    limit = {"resets_at": one.resets_at} if one.standing is Standing.LIMITED else {}
    return _EVENTS[one.standing](
        run=one.run,
        agent=one.agent,
        at=one.at,
        key=one.key,
        cli=one.cli,
        attempt=one.attempt,
        message=one.message,
        **limit,
    )


def _over(one: Remembered, now: int) -> bool:
    """Whether it is a limit whose end the CLI gave as a time, which has passed."""
    if one.standing is not Standing.LIMITED or one.resets_at is None:
        return False
    try:
        return datetime.fromisoformat(one.resets_at).timestamp() * 1000 <= now
    except (ValueError, OverflowError):
        return False
