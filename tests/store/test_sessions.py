"""One session of an agent CLI is taken up by one live attempt at most (R17)."""

from __future__ import annotations

import sqlite3

from story import delegated, started

from store import events as e
from store.audit import audit_run
from store.model import State
from store.record import Batch, record
from store.views import load_run

TAKEN = "that session is taken up by another attempt that has not ended (R17)"


def test_a_session_is_taken_up_by_one_attempt_at_most(writer: sqlite3.Connection) -> None:
    events = (
        *delegated("r1", "api", "ui"),
        *delegated("r2", "api"),
        started("r1", "api", session="s"),
        started("r1", "ui", session="s"),
        started("r2", "api", session="s"),
    )
    (recorded,) = record(writer, [Batch(events=events)])
    assert [(refusal.event.run, refusal.event.agent, refusal.why) for refusal in recorded.refused] == [
        ("r1", "ui", TAKEN),
        ("r2", "api", TAKEN),
    ]
    assert load_run(writer, "r2").delegations["api"].state is State.DELEGATED
    assert audit_run(writer, "r1") == audit_run(writer, "r2") == []


def test_another_cli_may_use_the_same_word_for_a_session(writer: sqlite3.Connection) -> None:
    events = (
        *delegated("r", "api", "ui"),
        started("r", "api", session="s", cli="claude"),
        started("r", "ui", session="s", cli="codex"),
    )
    (recorded,) = record(writer, [Batch(events=events)])
    assert not recorded.refused


def test_a_session_is_free_when_its_attempt_has_ended(writer: sqlite3.Connection) -> None:
    events = (
        *delegated("r", "api", "ui"),
        started("r", "api", session="s"),
        e.AttemptEnded(run="r", agent="api", attempt=1),
        started("r", "ui", session="s"),
    )
    (recorded,) = record(writer, [Batch(events=events)])
    assert not recorded.refused


def test_naming_a_session_claims_it_too(writer: sqlite3.Connection) -> None:
    events = (
        *delegated("r", "api", "ui"),
        started("r", "api", session="s"),
        started("r", "ui"),
        e.AttemptNamed(run="r", agent="ui", attempt=1, session="s", model="opus"),
        e.AttemptNamed(run="r", agent="ui", attempt=1, session="t"),
    )
    (recorded,) = record(writer, [Batch(events=events)])
    assert [refusal.why for refusal in recorded.refused] == [TAKEN]
    agent = load_run(writer, "r").delegations["ui"]
    assert (agent.attempts[0].session, agent.model) == ("t", None)
    assert audit_run(writer, "r") == []
