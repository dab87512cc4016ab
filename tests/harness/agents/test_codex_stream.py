"""The reader of Codex on what Codex really printed."""

from __future__ import annotations

import json

import pytest

from harness.agents.codex_errors import kind_of_message, reset_of_message
from harness.agents.codex_stream import CodexStream
from harness.ledger import Ledger
from harness.reports import ErrorKind, Failure, Result, Tool, Usage
from store.model import Counts
from tests.harness.agents.recordings import billed_without_writes, counted, lines, names, read, reports, said

CLI = "codex"
ECHO = "tool command_execution /bin/bash -lc 'echo hi > out.txt'"
LONG = """tool command_execution /bin/bash -lc "python3 -c 'import time; time.sleep(300)' # rig-long\""""
FAILED = "result error"

SAID = {
    "success": ["session", ECHO, "text all done", "turn", "result"],
    "code_mode": ["session", ECHO, "text done", "turn", "result"],
    "mcp": ["session", "tool tiny.note", "text done", "turn", "result"],
    "write": [
        *("session", "tool file_change /project/made.txt", "file /project/made.txt"),
        *("text written", "turn", "result"),
    ],
    "unauthorized": ["session", *["retrying auth"] * 6, "gave up auth", FAILED],
    "unauthorized_later": ["session", ECHO, *["retrying auth"] * 6, "gave up auth", FAILED],
    "not_signed_in": ["session", "retrying auth", "gave up auth", FAILED],
    "rate_limited": ["session", "retrying rate_limit", "gave up rate_limit", FAILED],
    "overloaded": ["session", *["retrying overloaded"] * 6, "gave up overloaded", FAILED],
    "server_error": ["session", *["retrying overloaded"] * 6, "gave up overloaded", FAILED],
    "connection_dropped": ["session", *["retrying other"] * 6, "gave up other", FAILED],
    "error_in_stream": ["session", *["retrying other"] * 6, "gave up other", FAILED],
    "interrupted_answer": ["session"],
    "terminated": ["session", LONG],
    "killed": ["session", LONG],
    "killed_resumed": ["session", "text after the crash", "turn", "result"],
    "first": ["session", ECHO, "text all done", "turn", "result"],
    "first_resumed": ["session", "text second turn", "turn", "result"],
    "session_gone": [FAILED],
}


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", ["success", "code_mode", "mcp", "write", "first", "killed_resumed"])
def test_counts_what_the_model_billed(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == billed_without_writes(CLI, name)
    assert not row.at_least


@pytest.mark.parametrize("name", ["unauthorized_later", "connection_dropped", "terminated", "killed"])
def test_what_no_completed_turn_stated_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


def test_a_session_that_is_taken_up_counts_only_what_is_new() -> None:
    before = Ledger()
    counted(reports(CLI, "first"), before)
    (row,) = counted(reports(CLI, "first_resumed"), Ledger(before.session_totals)).values()
    assert row.counts == billed_without_writes(CLI, "first_resumed")
    assert not row.at_least


def test_what_was_saved_of_a_turn_that_was_cut_off_counts_once() -> None:
    """The first attempt cannot say it; the totals of the session may hold it (U4)."""
    before = Ledger()
    counted(reports(CLI, "killed"), before)
    (row,) = counted(reports(CLI, "killed_resumed"), Ledger(before.session_totals)).values()
    assert row.counts == billed_without_writes(CLI, "killed_resumed")


def test_a_session_that_is_gone_is_told_and_has_used_nothing() -> None:
    found = reports(CLI, "session_gone")
    (result,) = [report for report in found if isinstance(report, Result)]
    assert result.session_gone
    assert result.error is not None
    assert "no rollout found" in result.error
    (row,) = counted(found).values()
    assert row.counts.cost == 0


def test_a_warning_is_no_failure() -> None:
    item = {"id": "item_0", "type": "error", "message": "unexpected status 401 Unauthorized: "}
    assert not CodexStream().read(json.dumps({"type": "item.completed", "item": item}).encode())


def test_an_answer_is_no_failure() -> None:
    item = {"id": "item_0", "type": "agent_message", "text": "unexpected status 401 Unauthorized"}
    found = CodexStream().read(json.dumps({"type": "item.completed", "item": item}).encode())
    assert said(found) == ["text unexpected status 401 Unauthorized"]


def test_a_tool_that_is_told_only_when_it_is_done_is_told() -> None:
    item = {"id": "item_0", "type": "web_search", "query": "weather"}
    assert CodexStream().read(json.dumps({"type": "item.completed", "item": item}).encode()) == [
        Tool(name="web_search", detail="weather")
    ]


def test_a_change_that_failed_or_took_a_file_away_is_no_written_file() -> None:
    changes = [{"path": "/a", "kind": "add"}, {"path": "/b", "kind": "delete"}]
    for status, files in (("completed", ["file /a"]), ("failed", [])):
        item = {"id": "i", "type": "file_change", "status": status, "changes": changes}
        found = CodexStream().read(json.dumps({"type": "item.completed", "item": item}).encode())
        assert said(found) == ["tool file_change /a", *files]


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (
            {"input_tokens": 530, "cached_input_tokens": 400, "cache_write_input_tokens": 30, "output_tokens": 20},
            Counts(input=100, output=20, cache_read=400, cache_write=30),
        ),
        ({"input_tokens": 530, "output_tokens": 20}, Counts(output=20)),
        ({"input_tokens": 5, "cached_input_tokens": 9}, Counts(cache_read=9)),
        ({}, Counts()),
    ],
)
def test_counts_that_are_told_in_part(usage: dict[str, int], counts: Counts) -> None:
    found = CodexStream().read(json.dumps({"type": "turn.completed", "usage": usage}).encode())
    assert [report for report in found if isinstance(report, Usage)] == [Usage(counts=counts, cumulative=True)]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("unexpected status 403 Forbidden: no, url: x", ErrorKind.AUTH),
        ("unexpected status 402 Payment Required: x", ErrorKind.USAGE_LIMIT),
        ("Reconnecting... 2/5 (unexpected status 401 Unauthorized: a (b))", ErrorKind.AUTH),
        ("Quota exceeded. Check your plan and billing details.", ErrorKind.USAGE_LIMIT),
        ("You've hit your usage limit. Visit x or try again at 3:04 PM.", ErrorKind.USAGE_LIMIT),
        ("rate limit exceeded: slow down", ErrorKind.RATE_LIMIT),
        ("Selected model is at capacity. Please try a different model.", ErrorKind.OVERLOADED),
        ("stream disconnected before completion: unexpected status 401 Unauthorized", ErrorKind.OTHER),
        ("the server said: unexpected status 401 ", ErrorKind.OTHER),
        ("", ErrorKind.OTHER),
    ],
)
def test_kinds(message: str, kind: ErrorKind) -> None:
    assert kind_of_message(message) is kind


def test_when_a_usage_limit_is_lifted_is_said_in_its_own_words() -> None:
    message = "You've hit your usage limit. Upgrade to Plus or try again at Dec 1st, 2026 3:04 PM."
    assert reset_of_message(message) == "Dec 1st, 2026 3:04 PM"
    assert reset_of_message("Rate limit reached. Please try again in 1s.") is None
    reader = CodexStream()
    found = reader.read(json.dumps({"type": "turn.failed", "error": {"message": message}}).encode())
    assert [report.resets_at for report in found if isinstance(report, Failure)] == ["Dec 1st, 2026 3:04 PM"]


def test_half_a_recording_is_an_attempt_that_was_cut_off() -> None:
    found = read(CLI, lines(CLI, "success")[:-1])
    assert not any(isinstance(report, Result) for report in found)
    (row,) = counted(found).values()
    assert row.counts == Counts()
