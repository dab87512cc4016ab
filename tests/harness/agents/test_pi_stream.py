"""The reader of pi on what pi really printed, and how it is started."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.agents import adapter
from harness.agents.base import Brief
from harness.agents.pi_stream import MAX_WRITES, PiStream
from harness.reports import ErrorKind, Failure, File, Report, Result
from store.model import Counts
from tests.harness.agents.recordings import billed, billed_without_writes, counted, names, read, reports, said

CLI = "pi"
START = ["session", "model fake-model"]
HI = ["turn", "tool bash echo hi > out.txt"]
LONG = ["turn", "tool bash python3 -c 'import time; time.sleep(300)' # rig-long"]
FAILED = ["gave up auth", "result error"]

SAID = {
    "success": [*START, *HI, "text all done", "turn", "result"],
    "anthropic_wire": [*START, "turn", "tool bash echo one", "text ok", "turn", "result"],
    "without_prices": [*START, "text ok", "turn", "result"],
    "first": [*START, *HI, "text all done", "turn", "result"],
    "first_resumed": [*START, "text second turn", "turn", "result"],
    "write": [*START, "turn", "tool write made.txt", "file made.txt", "text written", "turn", "result"],
    "unauthorized": [*START, "retrying auth", *FAILED],
    "unauthorized_later": [*START, *HI, "retrying auth", *FAILED],
    "forbidden": [*START, "retrying auth", *FAILED],
    "rate_limited": [*START, *["retrying rate_limit"] * 4, "gave up rate_limit", "result error"],
    "server_error": [*START, *["retrying other"] * 4, "gave up other", "result error"],
    "error_in_stream": [*START, *["retrying other"] * 4, "gave up other", "result error"],
    "interrupted_answer": ["session"],
    "terminated": [*START, *LONG],
    "killed": [*START, *LONG],
    "killed_resumed": [*START, "text after the crash", "turn", "result"],
    "not_signed_in": ["session", *FAILED],
    "session_gone": ["result error"],
}
COSTS = {"success": 420_000, "first": 420_000, "first_resumed": 210_000, "killed_resumed": 210_000, "write": 420_000}
REFUSED = ("unauthorized", "forbidden", "rate_limited", "server_error")


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", COSTS)
def test_counts_what_the_model_billed(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == replace(billed_without_writes(CLI, name), cost=COSTS[name])
    assert (row.model, row.at_least) == ("fake-model", False)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_request_has_used_nothing(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == billed_without_writes(CLI, name)


def test_cache_writes_are_counted_where_they_are_told() -> None:
    (row,) = counted(reports(CLI, "anthropic_wire")).values()
    assert replace(row.counts, cost=None) == billed(CLI, "anthropic_wire")


def test_a_model_without_a_price_has_no_known_cost() -> None:
    (row,) = counted(reports(CLI, "without_prices")).values()
    assert row.counts == billed_without_writes(CLI, "without_prices")


@pytest.mark.parametrize("name", ["terminated", "killed"])
def test_what_an_attempt_that_was_cut_off_had_used_stays_counted(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert (row.counts.input, row.counts.output, row.at_least) == (130, 20, True)


@pytest.mark.parametrize("name", ["interrupted_answer", "error_in_stream"])
def test_an_answer_that_broke_off_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


def _result(found: list[Report]) -> Result:
    (result,) = [report for report in found if isinstance(report, Result)]
    return result


def test_success_carries_the_answer() -> None:
    assert _result(reports(CLI, "success")) == Result(ok=True, text="all done")


@pytest.mark.parametrize("name", ["session_gone", "not_signed_in"])
def test_what_asked_no_model_has_used_nothing_and_says_why(name: str) -> None:
    found = reports(CLI, name)
    (row,) = counted(found).values()
    assert row.counts.cost == 0
    assert _result(found).error
    assert _result(found).session_gone == (name == "session_gone")


def _message(**more: object) -> dict[str, object]:
    return {"type": "message_end", "message": {"role": "assistant", **more}}


def _read(*events: dict[str, object]) -> list[Report]:
    return read(CLI, [json.dumps(one).encode() for one in events])


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("429 Too many requests", ErrorKind.RATE_LIMIT),
        ('529 {"type":"error"}', ErrorKind.OVERLOADED),
        ("4011 nonsense", ErrorKind.OTHER),
        ("the status was 401 ", ErrorKind.OTHER),
    ],
)
def test_kinds(message: str, kind: ErrorKind) -> None:
    found = _read(_message(stopReason="error", errorMessage=message))
    assert [report.kind for report in found if isinstance(report, Failure)] == [kind, kind]


def test_an_error_that_it_got_over_is_none() -> None:
    start: dict[str, object] = {"type": "message_start", "message": {"role": "assistant"}}
    found = _read(_message(stopReason="error", errorMessage="503 x"), start, _message(stopReason="stop"))
    assert _result(found).ok


@pytest.mark.parametrize("reason", ["length", "aborted"])
def test_an_answer_that_was_cut_short_is_an_error(reason: str) -> None:
    assert not _result(_read(_message(stopReason=reason))).ok


def test_a_stop_that_was_not_the_end_is_no_result() -> None:
    start: dict[str, object] = {"type": "message_start", "message": {"role": "assistant"}}
    assert not any(isinstance(report, Result) for report in _read(_message(stopReason="stop"), start))


def test_the_words_of_the_person_are_no_answer() -> None:
    words = {"role": "user", "content": [{"type": "text", "text": "please"}]}
    assert said(_read({"type": "message_end", "message": words})) == []


def test_a_written_file_is_named_once_it_is_written() -> None:
    reader = PiStream()
    for number in range(MAX_WRITES + 1):
        call = {"type": "tool_execution_start", "toolCallId": f"t{number}", "toolName": "edit", "args": {"path": "x"}}
        reader.read(json.dumps(call).encode())
    for number, error, files in ((0, False, [File(path="x")]), (1, True, []), (MAX_WRITES, False, [])):
        back = {"type": "tool_execution_end", "toolCallId": f"t{number}", "isError": error}
        assert list(reader.read(json.dumps(back).encode())) == files


class TestInvoke:
    BRIEF = Brief(prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111")

    def test_a_fresh_start(self) -> None:
        assert adapter("pi").invoke(self.BRIEF).argv == ("pi", "--mode", "json", "-p")

    def test_a_session(self) -> None:
        argv = adapter("pi").invoke(replace(self.BRIEF, session="s1", model="acme/large")).argv
        assert argv == ("pi", "--mode", "json", "--model", "acme/large", "--session", "s1", "-p")

    def test_its_credential_has_no_shape(self) -> None:
        assert adapter("pi").credential({"HOME": "/home/one", "ANTHROPIC_API_KEY": "k"}) is None
