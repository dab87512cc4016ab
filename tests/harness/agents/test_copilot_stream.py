"""The reader of Copilot CLI on what Copilot CLI really printed and wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.agents.base import Beside
from harness.agents.copilot_stream import MAX_CALLS, CopilotStream
from harness.agents.copilot_usage import usage_in
from harness.ledger import Ledger
from harness.reports import ErrorKind, Failure, Result
from store.model import Counts
from tests.harness.agents.recordings import billed, billed_without_writes, counted, names, reports, said

CLI = "copilot"
TURN = ["turn", "model fake-model"]
ONE = [*TURN, "tool bash echo one", "turn"]
HI = [*TURN, "tool bash echo hi > out.txt", "turn"]
END = ["session", "result"]
FAILED = ["session", "result error"]

SAID = {
    "success": [*HI, "text all done", *END],
    "first": [*HI, "text all done", *END],
    "first_resumed": [*TURN, "text second turn", *END],
    "with_usage": [*ONE, "text ok", *END],
    "with_usage_resumed": [*TURN, "text two", *END],
    "anthropic_wire": [*ONE, "text ok", *END],
    "denied": [*HI, "text tried", *END],
    "write": [*TURN, "tool create made.txt", "file /project/made.txt", "turn", "text written", *END],
    "unauthorized": [*["retrying auth"] * 3, "gave up auth", *FAILED],
    "unauthorized_later": [*HI[:-1], *["retrying auth"] * 3, "gave up auth", *FAILED],
    "refused_with_usage": [*["retrying auth"] * 3, "gave up auth", *FAILED],
    "rate_limited": ["retrying rate_limit"] * 5,
    "server_error": [*["retrying other"] * 6, "gave up other", *FAILED],
    "error_in_stream": [*["retrying other"] * 6, "gave up other", *FAILED],
    "interrupted_answer": [],
    "interrupted": ONE[:-1],
    "killed": [*TURN, "tool bash python3 -c 'import time; time.sleep(300)' # rig-long"],
    "killed_resumed": [*TURN, "text after the crash", *END],
    "not_signed_in": ["gave up auth", "result error"],
    "session_gone": ["result error"],
}
WITH_USAGE = ("with_usage", "denied", "refused_with_usage")


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", WITH_USAGE)
def test_counts_what_the_model_billed(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == billed_without_writes(CLI, name)
    assert not row.at_least


def test_cache_writes_are_counted_where_they_are_told() -> None:
    (row,) = counted(reports(CLI, "anthropic_wire")).values()
    assert row.counts == billed(CLI, "anthropic_wire")


def test_a_session_that_is_taken_up_counts_only_what_is_new() -> None:
    before = Ledger()
    counted(reports(CLI, "with_usage"), before)
    (row,) = counted(reports(CLI, "with_usage_resumed"), Ledger(before.session_totals)).values()
    assert row.counts == billed_without_writes(CLI, "with_usage_resumed")
    assert not row.at_least


@pytest.mark.parametrize("name", ["interrupted", "error_in_stream"])
def test_an_answer_that_broke_off_makes_the_sum_at_least(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.at_least
    assert (row.counts.input or 0) < (billed_without_writes(CLI, name).input or 0)


@pytest.mark.parametrize("name", ["success", "killed", "rate_limited"])
def test_without_a_usage_file_nothing_is_known(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


@pytest.mark.parametrize("name", ["not_signed_in", "session_gone"])
def test_what_did_not_begin_has_used_nothing_and_says_why(name: str) -> None:
    found = reports(CLI, name)
    (row,) = counted(found).values()
    assert row.counts.cost == 0
    (result,) = [report for report in found if isinstance(report, Result)]
    assert result.error
    assert result.session_gone == (name == "session_gone")


def test_denied_tools_are_named() -> None:
    (result,) = [report for report in reports(CLI, "denied") if isinstance(report, Result)]
    assert result == Result(ok=True, text="tried", denied=("bash",))


def _read(*events: dict[str, object]) -> list[object]:
    reader = CopilotStream()
    return [report for one in events for report in reader.read(json.dumps(one).encode())]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"errorType": "authorization"}, ErrorKind.AUTH),
        ({"errorType": "quota"}, ErrorKind.USAGE_LIMIT),
        ({"errorType": "rate_limit"}, ErrorKind.RATE_LIMIT),
        ({"errorType": "query", "statusCode": 529}, ErrorKind.OVERLOADED),
        ({"errorType": "query", "message": "HTTP 401"}, ErrorKind.OTHER),
        ({"errorType": []}, ErrorKind.OTHER),
    ],
)
def test_kinds(data: dict[str, object], kind: ErrorKind) -> None:
    (failure,) = _read({"type": "session.error", "data": data})
    assert isinstance(failure, Failure)
    assert failure.kind is kind


def test_the_words_of_a_sub_agent_are_no_answer() -> None:
    assert _read({"type": "assistant.message", "data": {"content": "aside", "parentToolCallId": "c"}}) == []


def test_a_file_that_was_taken_away_is_no_written_file() -> None:
    edits = [{"path": "/a", "kind": "delete"}, {"path": "/b", "kind": "edit"}]
    found = _read({"type": "tool.execution_complete", "data": {"fileEdits": edits}})
    assert said(found) == ["file /b"]  # type: ignore[arg-type]


def test_calls_that_nobody_answers_are_bounded() -> None:
    begun = [
        {"type": "tool.execution_start", "data": {"toolName": "bash", "toolCallId": f"t{number}"}}
        for number in range(MAX_CALLS + 1)
    ]
    denied = {"type": "tool.execution_complete", "data": {"toolCallId": f"t{MAX_CALLS}", "error": {"code": "denied"}}}
    result = _read(*begun, denied, {"type": "result", "exitCode": 0})[-1]
    assert result == Result(ok=True, denied=("?",))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"modelMetrics": 5}', "x" * 5_000_000])
def test_a_usage_file_that_says_nothing_is_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "usage"
    path.write_text(content)
    assert not usage_in(path, at_least=False)
    assert not usage_in(tmp_path / "none", at_least=False)
    assert not usage_in(None, at_least=False)


@pytest.mark.parametrize("junk", [None, 5, "x", [], {}, {"usage": {"inputTokens": "5", "cacheReadTokens": -1}}])
def test_a_usage_file_with_junk_in_it_does_not_raise(tmp_path: Path, junk: object) -> None:
    path = tmp_path / "usage"
    path.write_text(json.dumps({"modelMetrics": {"m": junk, "\n": junk}}))
    found = CopilotStream(Beside(usage=path)).end()
    assert all(row.counts == Counts() for row in counted(list(found)).values())
