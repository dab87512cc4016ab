"""The reader of Qwen Code on what Qwen Code really printed."""

from __future__ import annotations

import json

import pytest

from harness.agents.qwen_stream import MAX_WRITES, QwenStream
from harness.ledger import Ledger
from harness.reports import ErrorKind, Failure, File, Report, Result
from store.model import Counts
from tests.harness.agents.recordings import billed_without_writes, counted, names, read, reports, said

CLI = "qwen"
START = ["session", "model fake-model"]
HI = ["turn", "tool run_shell_command echo hi > out.txt"]
LONG = ["turn", "tool run_shell_command python3 -c 'import time; time.sleep(300)' # rig-long"]

SAID = {
    "success": [*START, *HI, "turn", "text all done", "result"],
    "old_success": [*START, *HI, "turn", "text all done", "result"],
    "write_refused": [*START, "turn", "tool write_file made.txt", "turn", "text written", "result"],
    "unauthorized": [*START, "gave up auth", "result error"],
    "old_unauthorized": [*START, "gave up other", "result error"],
    "old_unauthorized_later": [*START, *HI, "gave up other", "result error"],
    "not_signed_in": ["gave up auth", "result error"],
    "terminated": [*START, *LONG],
    "killed": [*START, *LONG],
    "killed_resumed": [*START, "turn", "text after the crash", "result"],
    "first": [*START, *HI, "turn", "text all done", "result"],
    "first_resumed": [*START, "turn", "text second turn", "result"],
    "session_gone": ["result error"],
}
EXACT = (
    "success",
    "old_success",
    "write_refused",
    "unauthorized",
    "old_unauthorized",
    "old_unauthorized_later",
    "first",
)


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", EXACT)
def test_counts_what_the_model_billed(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert (row.model, row.counts) == ("fake-model", billed_without_writes(CLI, name))
    assert not row.at_least


@pytest.mark.parametrize("name", ["terminated", "killed"])
def test_what_an_attempt_without_a_result_had_used_stays_counted(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert (row.counts, row.at_least) == (billed_without_writes(CLI, name), True)


def test_a_session_that_is_taken_up_counts_only_what_is_new() -> None:
    """With its request about what to remember, which stands in no message."""
    before = Ledger()
    counted(reports(CLI, "first"), before)
    (row,) = counted(reports(CLI, "first_resumed"), Ledger(before.session_totals)).values()
    assert row.counts == billed_without_writes(CLI, "first_resumed")
    assert not row.at_least


def test_a_session_that_was_cut_off_and_taken_up_counts_nothing_twice() -> None:
    """Its total holds what the first attempt told, so what the second told itself is 'at least' (U4)."""
    before = Ledger()
    counted(reports(CLI, "killed"), before)
    assert before.session_totals is None
    (row,) = counted(reports(CLI, "killed_resumed"), Ledger(before.session_totals)).values()
    assert (row.counts, row.at_least) == (Counts(input=130, output=20, cache_read=400), True)


@pytest.mark.parametrize("name", ["not_signed_in", "session_gone"])
def test_what_did_not_begin_has_used_nothing(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert (row.counts.cost, row.counts.input) == (0, 0)


def _result(found: list[Report]) -> Result:
    (result,) = [report for report in found if isinstance(report, Result)]
    return result


def test_a_session_that_is_gone_is_told() -> None:
    assert _result(reports(CLI, "session_gone")).session_gone


def test_a_refused_request_that_claims_success_has_failed() -> None:
    assert _result(reports(CLI, "old_unauthorized")) == Result(
        ok=False, error="[API Error: 401 Incorrect API key provided: sk-test-***.]"
    )


def _message(words: str, tokens: int) -> dict[str, object]:
    usage = {"input_tokens": tokens, "output_tokens": tokens, "cache_read_input_tokens": 0}
    return {"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": words}], "usage": usage}}


def _read(*events: dict[str, object]) -> list[Report]:
    return read(CLI, [json.dumps(one).encode() for one in events])


def test_an_answer_in_the_words_of_an_error_is_an_answer() -> None:
    words = "[API Error: 401 Incorrect API key provided]"
    found = _read(_message(words, 5), {"type": "result", "is_error": False, "result": words})
    assert _result(found) == Result(ok=True, text=words)
    assert not any(isinstance(report, Failure) for report in found)


def test_an_error_that_it_got_over_is_none() -> None:
    found = _read(_message("[API Error: 500]", 0), _message("fine", 5), {"type": "result", "result": "fine"})
    assert _result(found).ok


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("[API Error: 403 Forbidden]", ErrorKind.AUTH),
        ("[API Error: 429 Rate limit reached]", ErrorKind.RATE_LIMIT),
        ("[API Error: 4011 nonsense]", ErrorKind.OTHER),
        ("[API Error: Connection error.]", ErrorKind.OTHER),
        ("Missing API key for OpenAI-compatible auth.", ErrorKind.AUTH),
        ("it said [API Error: 401 no]", ErrorKind.OTHER),
    ],
)
def test_kinds(message: str, kind: ErrorKind) -> None:
    found = _read({"type": "result", "is_error": True, "error": {"message": message}})
    assert [report.kind for report in found if isinstance(report, Failure)] == [kind]


def test_the_words_of_a_sub_agent_are_no_answer_and_no_turn() -> None:
    found = _read({**_message("aside", 5), "parent_tool_use_id": "t"})
    assert said(found) == []
    (row,) = counted(found).values()
    assert row.counts.input == 5


def test_denied_tools_are_named() -> None:
    denials = [{"tool_name": "edit"}, {"tool_name": "edit"}]
    assert _result(_read({"type": "result", "permission_denials": denials})).denied == ("edit",)


def test_a_written_file_is_named_once_it_is_written() -> None:
    reader = QwenStream()
    for number in range(MAX_WRITES + 1):
        call = {"type": "tool_use", "id": f"t{number}", "name": "edit", "input": {"file_path": "/x"}}
        reader.read(json.dumps({"type": "assistant", "message": {"id": "m", "content": [call]}}).encode())
    for number, error, files in ((0, False, [File(path="/x")]), (1, True, []), (MAX_WRITES, False, [])):
        back = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": error}
        assert list(reader.read(json.dumps({"type": "user", "message": {"content": [back]}}).encode())) == files
