"""Requests: durable, in order, once, and those that start something only for a while (R22)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store.database import open_requester
from store.inbox import EXPIRES_AFTER_MS, Request, get, put, waiting
from store.record import Batch, Handled, record


@pytest.fixture
def requester(writer: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """The connection of a terminal that asks for something."""
    with closing(open_requester(path)) as connection:
        yield connection


def test_what_was_asked_waits_in_order(requester: sqlite3.Connection, reader: sqlite3.Connection) -> None:
    put(requester, "stop", {"run": "r"}, expires=False, id="b")
    put(requester, "pause", {}, expires=False, id="a")
    assert [(request.id, request.verb, request.body) for request in waiting(reader)] == [
        ("b", "stop", {"run": "r"}),
        ("a", "pause", {}),
    ]


def test_what_starts_something_expires_and_what_stops_something_does_not(requester: sqlite3.Connection) -> None:
    launch = get(requester, put(requester, "launch", {}, expires=True))
    stop = get(requester, put(requester, "stop", {}, expires=False))
    assert launch is not None
    assert stop is not None
    assert launch.expires_at == launch.at + EXPIRES_AFTER_MS
    assert stop.expires_at is None


def test_the_same_id_is_the_same_request(requester: sqlite3.Connection) -> None:
    put(requester, "stop", {"run": "r"}, expires=False, id="q")
    put(requester, "stop", {"run": "other"}, expires=False, id="q")
    assert [request.body for request in waiting(requester)] == [{"run": "r"}]


def test_an_answered_request_waits_no_more_and_is_not_asked_again(
    writer: sqlite3.Connection, requester: sqlite3.Connection
) -> None:
    put(requester, "stop", {}, expires=False, id="q")
    record(writer, [Batch(handled=Handled(request="q", state="refused", answer={"why": "no such run"}))])
    put(requester, "stop", {}, expires=False, id="q")
    assert waiting(requester) == []
    found = get(requester, "q")
    assert isinstance(found, Request)
    assert (found.state, found.answer) == ("refused", {"why": "no such run"})


def test_words_that_are_no_text_come_through(requester: sqlite3.Connection) -> None:
    """An argument on the command line may hold any bytes; Python hands them on as lone surrogates."""
    put(requester, "stop", {"run": "caf\udcc3", "é": "日本"}, expires=False)
    assert [request.body for request in waiting(requester)] == [{"run": "caf\udcc3", "é": "日本"}]


def test_a_request_that_nobody_made(requester: sqlite3.Connection) -> None:
    assert get(requester, "q") is None
