"""What is remembered of credentials that do not work, without processes and without waiting (K1–K6)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from harness.agents.base import CredentialShape
from harness.credentials import MOST_RETRIES, Credentials, Finder
from harness.reports import ErrorKind, Failure
from store import events as e
from store.credentials import Standing

SHAPE = CredentialShape(provider="acme", method="api key", place="ACME_KEY", fingerprint="f1")
SAVED_AGAIN = CredentialShape(provider="acme", method="api key", place="ACME_KEY", fingerprint="f2")
OTHER = CredentialShape(provider="acme", method="api key", place="OTHER_KEY", fingerprint="f1")
FIRST = Finder(run="r1", agent="a", attempt=1, cli="claude")
SECOND = Finder(run="r1", agent="b", attempt=1, cli="claude")


def failure(kind: ErrorKind, *, retrying: bool = False, resets_at: str | None = None) -> Failure:
    return Failure(kind=kind, message="no", retrying=retrying, resets_at=resets_at)


@dataclass
class Clock:
    """Milliseconds that pass when they are told to; who listens for changes."""

    at: int = 1_000_000
    changes: list[int] = field(default_factory=list)

    def credentials(self) -> Credentials:
        return Credentials(
            now=lambda: self.at, spread=lambda low, high: 1.0, changed=lambda: self.changes.append(self.at)
        )


@pytest.fixture
def clock() -> Clock:
    return Clock()


def standing(credentials: Credentials, shape: CredentialShape = SHAPE) -> Standing | None:
    found = credentials.standing(shape)
    return None if found is None else found.standing


def test_a_refused_sign_in_holds_until_the_cli_gives_up_and_then_is_remembered(clock: Clock) -> None:
    credentials = clock.credentials()
    held = credentials.heard(SHAPE, failure(ErrorKind.AUTH, retrying=True), FIRST)
    assert isinstance(held, e.CredentialHeld) and standing(credentials) is Standing.HELD
    assert credentials.heard(SHAPE, failure(ErrorKind.AUTH, retrying=True), SECOND) is None
    died = credentials.ended(SHAPE, FIRST, failure(ErrorKind.AUTH, retrying=True))
    assert isinstance(died, e.CredentialDied) and (died.agent, died.attempt, died.key) == ("a", 1, SHAPE.key)
    assert standing(credentials) is Standing.DIED
    assert credentials.heard(SHAPE, failure(ErrorKind.AUTH), SECOND) is None
    assert standing(credentials, OTHER) is None
    assert len(clock.changes) == 2


def test_a_success_clears_it(clock: Clock) -> None:
    credentials = clock.credentials()
    credentials.heard(SHAPE, failure(ErrorKind.AUTH), FIRST)
    assert isinstance(credentials.got_through(SHAPE), e.CredentialCleared)
    assert standing(credentials) is None and credentials.got_through(SHAPE) is None


@pytest.mark.parametrize("finder", [FIRST, SECOND])
def test_what_one_attempt_holds_is_let_go_when_that_one_ends_otherwise(clock: Clock, finder: Finder) -> None:
    credentials = clock.credentials()
    credentials.heard(SHAPE, failure(ErrorKind.AUTH, retrying=True), FIRST)
    cleared = credentials.ended(SHAPE, finder, None)
    assert (cleared is not None) == (finder is FIRST)
    assert (standing(credentials) is None) == (finder is FIRST)


def test_it_clears_when_the_credential_is_another_one(clock: Clock) -> None:
    credentials = clock.credentials()
    credentials.heard(SHAPE, failure(ErrorKind.AUTH), FIRST)
    assert credentials.overcome(SHAPE) == [] and credentials.overcome(OTHER) == []
    (cleared,) = credentials.overcome(SAVED_AGAIN)
    assert cleared.key == SHAPE.key
    assert standing(credentials) is None and standing(credentials, SAVED_AGAIN) is None


@pytest.mark.parametrize(
    ("resets_at", "after_ms", "over"),
    [
        ("1970-01-01T00:20:00Z", 100_000, False),
        ("1970-01-01T00:20:00Z", 200_000, True),
        ("3pm", 10**9, False),
        (None, 10**9, False),
    ],
)
def test_a_limit_is_over_at_its_reset_if_that_is_a_time(
    clock: Clock, resets_at: str | None, after_ms: int, over: bool
) -> None:
    credentials = clock.credentials()
    limited = credentials.heard(SHAPE, failure(ErrorKind.USAGE_LIMIT, resets_at=resets_at), FIRST)
    assert isinstance(limited, e.CredentialLimited) and limited.resets_at == resets_at
    clock.at += after_ms
    assert bool(credentials.overcome(SHAPE)) is over
    assert (standing(credentials) is None) is over


def test_patience_has_one_budget_for_all_that_use_the_credential_and_grows(clock: Clock) -> None:
    credentials = clock.credentials()
    pauses = []
    for _ in range(MOST_RETRIES):
        not_before = credentials.retry(SHAPE, failure(ErrorKind.RATE_LIMIT))
        assert not_before is not None and credentials.not_before(SHAPE) == not_before
        pauses.append(not_before - clock.at)
    assert pauses == sorted(pauses) and pauses[0] == 5_000 and pauses[-1] == 600_000
    assert credentials.retry(SHAPE, failure(ErrorKind.OVERLOADED)) is None
    assert credentials.retry(OTHER, failure(ErrorKind.OVERLOADED)) is not None
    assert standing(credentials) is None, "a rate limit is no failed sign-in"
    credentials.got_through(SHAPE)
    assert credentials.not_before(SHAPE) == 0 and credentials.retry(SHAPE, failure(ErrorKind.RATE_LIMIT)) is not None


@pytest.mark.parametrize("kind", [ErrorKind.AUTH, ErrorKind.USAGE_LIMIT, ErrorKind.OTHER])
def test_nothing_else_is_tried_again(clock: Clock, kind: ErrorKind) -> None:
    assert clock.credentials().retry(SHAPE, failure(kind)) is None


def test_the_jitter_spreads_what_would_come_at_once() -> None:
    now = 1_000_000
    pauses = {Credentials(now=lambda: now).retry(SHAPE, failure(ErrorKind.RATE_LIMIT)) for _ in range(20)}
    assert len(pauses) > 10
    assert all(pause is not None and 2_500 <= pause - now <= 7_500 for pause in pauses)
