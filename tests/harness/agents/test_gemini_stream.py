"""The reader of Gemini CLI on what Gemini CLI really printed."""

from __future__ import annotations

import json

import pytest

from harness.agents.gemini_errors import kind_of_message, reset_of_message
from harness.agents.gemini_stream import MAX_WRITES, GeminiStream
from harness.reports import ErrorKind, Failure, File, Result, Usage
from store.model import Counts
from tests.harness.agents.recordings import billed_without_writes, counted, names, reports, said

CLI = "gemini"
START = ["session", "model gemini-2.5-flash"]
ECHO = ["turn", "tool run_shell_command echo hi > out.txt"]
LONG = ["turn", "tool run_shell_command python3 -c 'import time; time.sleep(300)' # rig-long"]
FAILED = "result error"

SAID = {
    "success": [*START, *ECHO, "turn", "text all done", "result"],
    "first": [*START, *ECHO, "turn", "text all done", "result"],
    "first_resumed": [*START, "turn", "text second turn", "result"],
    "mcp": [*START, "turn", "tool mcp_tiny_note", "turn", "text done", "result"],
    "write": [*START, "turn", "tool write_file made.txt", "file made.txt", "turn", "text written", "result"],
    "tool_not_offered": [*START, "turn", "text FAKE-NO-TOOL bash", "result"],
    "bad_key": [*START, "gave up auth", FAILED],
    "unauthorized": [*START, "gave up auth", FAILED],
    "unauthorized_later": [*START, *ECHO, "gave up auth", FAILED],
    "rate_limited": [*START, "gave up rate_limit", FAILED],
    "rate_limited_once": [*START, "turn", "text ok", "result"],
    "error_in_stream": [*START, "turn", "text FAKFAKFAKFAK", "gave up other", FAILED],
    "interrupted_answer": [*START, "turn", "text half of "],
    "terminated": [*START, *LONG],
    "killed": [*START, *LONG],
    "killed_resumed": [*START, "turn", "text after the crash", "result"],
    "not_signed_in": ["gave up auth", FAILED],
    "not_trusted": ["gave up other", FAILED],
    "session_gone": [FAILED],
}
CUT_OFF = ("interrupted_answer", "terminated", "killed")
NOT_BEGUN = ("not_signed_in", "not_trusted", "session_gone")


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", sorted(set(SAID) - {*CUT_OFF, *NOT_BEGUN, "error_in_stream"}))
def test_counts_what_the_model_billed(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert (row.model, row.counts) == ("gemini-2.5-flash", billed_without_writes(CLI, name))
    assert not row.at_least


@pytest.mark.parametrize("name", CUT_OFF)
def test_what_no_result_stated_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


@pytest.mark.parametrize("name", NOT_BEGUN)
def test_what_did_not_begin_has_used_nothing_and_says_why(name: str) -> None:
    found = reports(CLI, name)
    (row,) = counted(found).values()
    assert row.counts.cost == 0
    (result,) = [report for report in found if isinstance(report, Result)]
    assert result.error
    assert result.session_gone == (name == "session_gone")


def test_an_answer_that_broke_off_makes_the_sum_at_least() -> None:
    (row,) = counted(reports(CLI, "error_in_stream")).values()
    assert row.at_least


def test_an_answer_in_pieces_is_one_answer() -> None:
    (result,) = [report for report in reports(CLI, "success") if isinstance(report, Result)]
    assert result.text == "all done"


def _result(**stats: object) -> bytes:
    return json.dumps({"type": "result", "status": "success", "stats": stats}).encode()


def test_each_model_is_counted_by_itself() -> None:
    one = {"total_tokens": 12, "input_tokens": 10, "output_tokens": 2, "cached": 4, "input": 6}
    found = GeminiStream().read(_result(models={"pro": one, "flash": {**one, "output_tokens": 1}}))
    rows = counted(list(found))
    assert {row.model: row.counts for row in rows.values()} == {
        "pro": Counts(input=6, output=2, cache_read=4),
        "flash": Counts(input=6, output=1, cache_read=4),
    }
    assert [row.at_least for row in rows.values()] == [False, True], "the total of the second holds thoughts"


def test_stats_without_models_are_counted_all_the_same() -> None:
    found = GeminiStream().read(_result(input=6, output_tokens=2, cached=4))
    assert [report.counts for report in found if isinstance(report, Usage)] == [Counts(input=6, output=2, cache_read=4)]


def test_what_a_tool_prints_on_standard_error_is_nobodys_sign_in() -> None:
    reader = GeminiStream()
    reader.read(b'{"type":"init","session_id":"s","model":"m"}')
    assert not any(isinstance(report, Failure | Result) for report in reader.end())


def test_calls_that_nobody_answers_are_bounded() -> None:
    reader = GeminiStream()
    for number in range(MAX_WRITES + 1):
        call = {
            "type": "tool_use",
            "tool_name": "write_file",
            "tool_id": f"t{number}",
            "parameters": {"file_path": "x"},
        }
        reader.read(json.dumps(call).encode())
    for number, files in ((MAX_WRITES, []), (0, [File(path="x")])):
        back = {"type": "tool_result", "tool_id": f"t{number}", "status": "success"}
        assert list(reader.read(json.dumps(back).encode())) == files


def test_a_write_that_failed_is_no_file() -> None:
    reader = GeminiStream()
    call = {"type": "tool_use", "tool_name": "replace", "tool_id": "t", "parameters": {"file_path": "x"}}
    reader.read(json.dumps(call).encode())
    assert not reader.read(b'{"type":"tool_result","tool_id":"t","status":"error"}')


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ('[API Error: {"error":{"code":503,"status":"UNAVAILABLE"}}]', ErrorKind.OVERLOADED),
        ('[API Error: {"error":{"code":403,"status":"PERMISSION_DENIED"}}]', ErrorKind.AUTH),
        ('[API Error: {"error":{"code":400,"status":"INVALID_ARGUMENT"}}]', ErrorKind.OTHER),
        ("[API Error: You have exhausted your daily quota on this model.]\nPlease wait", ErrorKind.USAGE_LIMIT),
        ("[API Error: Slow down.]\nPlease wait and try again later. To", ErrorKind.RATE_LIMIT),
        ("[API Error: Slow down.]", ErrorKind.OTHER),
        ('it said: [API Error: {"error":{"code":401}}]', ErrorKind.OTHER),
    ],
)
def test_kinds(message: str, kind: ErrorKind) -> None:
    assert kind_of_message(message) is kind


def test_when_a_usage_limit_is_lifted_is_said_in_its_own_words() -> None:
    message = "[API Error: You have exhausted your capacity on this model. Your quota will reset after 3h20m5s.]"
    assert reset_of_message(message) == "after 3h20m5s"
    assert reset_of_message("[API Error: Your quota will reset after 3h.]") is None
