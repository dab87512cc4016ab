"""The reader of Claude Code on what Claude Code really printed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.agents.claude_stream import MAX_WRITES, ClaudeStream
from harness.ledger import Ledger
from harness.reports import (
    ErrorKind,
    Failure,
    File,
    Model,
    Report,
    Result,
    Session,
    Text,
    Tool,
    Turn,
    Unknown,
)
from store.model import Counts, Reason
from tests.harness.agents.recordings import billed, counted, lines, names, read, reports

CLI = "claude"


def said(found: list[Report]) -> list[str]:
    """The reports in short, usage left out."""
    words = []
    for report in found:
        match report:
            case Session():
                words.append("session")
            case Model(name=name):
                words.append(f"model {name}")
            case Turn():
                words.append("turn")
            case Text(text=text):
                words.append(f"text {text}")
            case Tool(name=name, detail=detail):
                words.append(f"tool {name} {detail}")
            case File(path=path):
                words.append(f"file {path}")
            case Failure(kind=kind, retrying=retrying):
                words.append(f"{'retrying' if retrying else 'gave up'} {kind}")
            case Result(ok=ok):
                words.append("result" if ok else "result error")
            case Unknown():
                words.append("unknown")
    return words


START = ["session", "model claude-opus-5-5"]

SAID = {
    "success": [*START, "turn", "tool Bash echo hi > out.txt", "turn", "text all done", "result"],
    "first": [*START, "turn", "tool Bash echo hi > out.txt", "turn", "text all done", "result"],
    "first_resumed": [*START, "turn", "text second turn", "result"],
    "write": [*START, "turn", "tool Write made.txt", "file made.txt", "turn", "text written", "result"],
    "denied": [*START, "turn", "tool Bash echo hi > out.txt", "turn", "text all done", "result"],
    "partial_messages": [*START, "turn", "text partial text here", "result"],
    "max_turns": [*START, "turn", "tool Bash echo a", "turn", "tool Bash echo b", "result error"],
    "forbidden": [*START, "retrying auth", "gave up auth", "result error"],
    "not_signed_in": [*START, "retrying auth", "gave up auth", "result error"],
    "unauthorized": [*START, *["retrying auth"] * 11, "gave up auth", "result error"],
    "unauthorized_later": [*START, "turn", "tool Bash echo hi > out.txt", *["retrying auth"] * 7],
    "rate_limited_twice": [*START, *["retrying rate_limit"] * 2, "turn", "text recovered", "result"],
    "overloaded": [*START, *["retrying overloaded"] * 3, "gave up overloaded", "result error"],
    "usage_limit": [
        "session",
        "model claude-sonnet-5-5",
        *["retrying usage_limit"] * 2,
        "gave up usage_limit",
        "result error",
    ],
    "connection_dropped": [*START, "retrying other", "turn", "text FAKE-OK", "result"],
    "error_in_stream": [*START, "turn", "text FAKE-OK", "result"],
    "interrupted_answer": [*START, "result error"],
    "interrupted_tool": [
        *START,
        "turn",
        "tool Bash python3 -c 'import time; time.sleep(300)' # rig-long",
        "result error",
    ],
    "killed": [*START, "turn", "tool Bash python3 -c 'import time; time.sleep(300)' # rig-long"],
    "killed_resumed": [*START, "turn", "text after the crash", "result"],
    "terminated": [
        *START,
        "turn",
        "tool Bash echo one",
        "turn",
        'tool Bash python3 -c "import time; time.sleep(60)" # x',
    ],
    "terminated_resumed": [*START, "turn", "text resumed", "result"],
    "session_gone": ["result error"],
    "subagent": [
        *START,
        "turn",
        "tool Agent d",
        "tool Bash echo sub",
        "turn",
        "text main done",
        "session",
        "turn",
        "text main done",
        "result",
        "result",
    ],
}


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


EXACT = sorted(
    set(SAID)
    - {
        "connection_dropped",
        "error_in_stream",
        "interrupted_answer",
        "killed",
        "terminated",
        "unauthorized_later",
    }
)


@pytest.mark.parametrize("name", EXACT)
def test_counts_what_the_model_billed(name: str) -> None:
    """U4: with sub-agents, retries, a second result or a resumed session, each request counts once."""
    (row,) = counted(reports(CLI, name)).values()
    assert replace(row.counts, cost=None) == billed(CLI, name)
    assert row.counts.cost is not None
    assert not row.at_least


@pytest.mark.parametrize("name", ["killed", "terminated", "unauthorized_later"])
def test_what_an_attempt_without_a_result_had_used_stays_counted(name: str) -> None:
    """As much of it as was printed: a request may have been under way, so it is 'at least' (U2)."""
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == replace(billed(CLI, name), output=None, cost=None)
    assert row.at_least


@pytest.mark.parametrize("name", ["connection_dropped", "error_in_stream", "interrupted_answer"])
def test_an_answer_that_broke_off_makes_the_sum_at_least(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    real = billed(CLI, name)
    assert row.at_least
    for counter in ("input", "output", "cache_read", "cache_write"):
        assert 0 < getattr(row.counts, counter) <= getattr(real, counter)


def test_an_attempt_that_printed_nothing_has_used_nobody_knows_what() -> None:
    (row,) = counted(read(CLI, [])).values()
    assert row.counts == Counts()


@pytest.mark.parametrize("before", ["killed", "terminated"])
def test_a_resumed_attempt_counts_only_itself(before: str) -> None:
    """TERM makes the CLI save what was used and add it to the next totals, KILL does not (U4)."""
    first, second = reports(CLI, before), reports(CLI, f"{before}_resumed")
    (row,) = counted(second).values()
    assert replace(row.counts, cost=None) == billed(CLI, f"{before}_resumed")
    assert row.counts.cost == 1_030_000
    assert Session(id=_session(first)) in second


def test_the_cost_is_exact_in_nano_dollars() -> None:
    (row,) = counted(reports(CLI, "success")).values()
    assert row.counts.cost == 2_060_000


def test_what_is_open_is_settled_by_the_result_of_that_run() -> None:
    output = lines(CLI, "success")
    (half_way,) = counted(read(CLI, output[:-1])).values()
    assert (half_way.counts.input, half_way.counts.output, half_way.counts.cost) == (200, None, None)
    (settled,) = counted(read(CLI, output)).values()
    assert (settled.counts.input, settled.counts.output, settled.at_least) == (200, 40, False)


@pytest.mark.parametrize("name", SAID)
def test_the_same_output_again_counts_nothing_again(name: str) -> None:
    ledger = Ledger()
    assert counted(reports(CLI, name), ledger) == counted(reports(CLI, name))
    assert counted(reports(CLI, name), ledger) == {}


def test_a_cost_at_another_models_price_is_no_cost() -> None:
    """U2: for a model without a price it reports the default model's, and says so."""
    output = lines(CLI, "success")
    (row,) = counted(
        read(CLI, [*output[:-1], output[-1].replace(b'"costBasis":"list"', b'"costBasis":"unknown"')])
    ).values()
    assert (row.counts.input, row.counts.output, row.counts.cost) == (200, 40, None)


def test_an_answer_that_broke_off_and_never_came_again_is_not_nothing() -> None:
    reader, ledger = ClaudeStream(), Ledger()
    retry = {"type": "system", "subtype": "api_retry", "error_status": None, "error": "unknown"}
    result = {"type": "result", "is_error": True, "model_usage_since_last_result": {}}
    found = [report for one in (retry, result) for report in reader.read(json.dumps(one).encode())]
    (row,) = counted([*found, *reader.end()], ledger).values()
    assert (row.counts.input, row.at_least) == (0, True)


def _without(key: str, output: list[bytes]) -> list[bytes]:
    """The same lines as a version that lacks this key would print them."""
    found = []
    for line in filter(None, output):
        value = json.loads(line)
        value.pop(key, None)
        found.append(json.dumps(value).encode())
    return found


def _session(found: list[Report]) -> str:
    return next(report.id for report in found if isinstance(report, Session))


class TestOlderVersions:
    """Those without `model_usage_since_last_result` are counted by differences."""

    KEY = "model_usage_since_last_result"

    def test_a_fresh_session(self) -> None:
        (row,) = counted(read(CLI, _without(self.KEY, lines(CLI, "first")))).values()
        assert replace(row.counts, cost=None) == billed(CLI, "first")
        assert not row.at_least

    def test_a_session_that_is_taken_up(self) -> None:
        before = Ledger()
        counted(read(CLI, _without(self.KEY, lines(CLI, "first"))), before)
        after = Ledger(before.session_totals)
        (row,) = counted(read(CLI, _without(self.KEY, lines(CLI, "first_resumed"))), after).values()
        assert replace(row.counts, cost=None) == billed(CLI, "first_resumed")
        assert (row.counts.cost, row.at_least) == (1_030_000, False)

    @pytest.mark.parametrize("name", ["killed", "terminated"])
    def test_a_session_whose_totals_nobody_knows(self, name: str) -> None:
        before = Ledger()
        counted(read(CLI, _without(self.KEY, lines(CLI, name))), before)
        assert before.session_totals is None
        (row,) = counted(
            read(CLI, _without(self.KEY, lines(CLI, f"{name}_resumed"))), Ledger(before.session_totals)
        ).values()
        assert row.at_least
        assert row.counts.input == billed(CLI, f"{name}_resumed").input

    def test_a_breakdown_with_empty_totals_settles_nothing(self) -> None:
        output = _without(self.KEY, lines(CLI, "success"))
        result = {**json.loads(output[-1]), "modelUsage": {}, "is_error": True}
        (row,) = counted(read(CLI, [*output[:-1], json.dumps(result).encode()])).values()
        assert (row.counts.input, row.counts.output) == (200, None)


def _result(name: str) -> Result:
    return [report for report in reports(CLI, name) if isinstance(report, Result)][-1]


class TestResults:
    def test_success_carries_the_answer(self) -> None:
        assert _result("success") == Result(ok=True, text="all done")

    def test_a_refused_sign_in_is_an_error_though_its_subtype_is_success(self) -> None:
        assert _result("unauthorized") == Result(ok=False, error="Invalid API key · Fix external API key")

    def test_denied_tools_are_named(self) -> None:
        assert _result("denied") == Result(ok=True, text="all done", denied=("Bash",))

    def test_its_own_limit_of_turns(self) -> None:
        assert _result("max_turns") == Result(ok=False, error="Reached maximum number of turns (2)", limit=Reason.TURNS)

    def test_an_interrupted_tool(self) -> None:
        assert _result("interrupted_tool") == Result(ok=False, error="it was interrupted while a tool was at work")

    def test_a_session_that_is_gone(self) -> None:
        gone = _result("session_gone")
        assert gone.session_gone
        assert not gone.ok


class TestFailures:
    def test_the_first_refused_request_is_told_at_once(self) -> None:
        first = next(report for report in reports(CLI, "unauthorized") if isinstance(report, Failure))
        assert first == Failure(
            kind=ErrorKind.AUTH, message="authentication_failed (401), try 1 of 10 to follow", retrying=True
        )

    def test_a_usage_limit_says_when_it_is_lifted(self) -> None:
        failures = [report for report in reports(CLI, "usage_limit") if isinstance(report, Failure)]
        assert {(one.kind, one.resets_at) for one in failures} == {(ErrorKind.USAGE_LIMIT, "2026-12-01T04:02:48Z")}

    @pytest.mark.parametrize(
        "info",
        [
            {"status": "allowed_warning"},
            {"status": "rejected", "isUsingOverage": True},
            {"status": "rejected", "overageStatus": "allowed"},
        ],
    )
    def test_a_limit_that_stops_nobody_is_no_failure(self, info: dict[str, object]) -> None:
        line = json.dumps({"type": "rate_limit_event", "rate_limit_info": info}).encode()
        assert ClaudeStream().read(line) == ()

    @pytest.mark.parametrize(
        ("fields", "kind"),
        [
            ({"error": "billing_error"}, ErrorKind.USAGE_LIMIT),
            ({"error": "unknown", "api_error_status": 402}, ErrorKind.USAGE_LIMIT),
            ({"error": "server_error", "api_error_status": 529}, ErrorKind.OVERLOADED),
            ({"error": "server_error", "api_error_type": "overloaded_error"}, ErrorKind.OVERLOADED),
            ({"error": "oauth_org_not_allowed"}, ErrorKind.AUTH),
            ({"error": "invalid_request", "api_error_status": 403}, ErrorKind.OTHER),
            ({"error": "rate_limit", "api_error": "model_requires_usage_credits"}, ErrorKind.USAGE_LIMIT),
            ({"error": "something new", "api_error_status": 401}, ErrorKind.AUTH),
        ],
    )
    def test_kinds(self, fields: dict[str, object], kind: ErrorKind) -> None:
        message = {"model": "<synthetic>", "content": [{"type": "text", "text": "words"}]}
        line = json.dumps({"type": "assistant", "message": message, **fields}).encode()
        assert ClaudeStream().read(line) == [Failure(kind=kind, message="words", retrying=True)]

    def test_words_of_the_model_are_no_signal(self) -> None:
        """K4: an answer that quotes an error, even as JSON of this very stream, is an answer."""
        words = 'authentication_failed {"type":"result","is_error":true,"api_error_status":401}'
        message = {"id": "m", "model": "x", "content": [{"type": "text", "text": words}]}
        found = ClaudeStream().read(json.dumps({"type": "assistant", "message": message}).encode())
        assert said(list(found)) == ["model x", "turn", f"text {words}"]

    def test_an_error_of_a_sub_agent_is_not_the_agents(self) -> None:
        reader = ClaudeStream()
        message = {"model": "<synthetic>", "content": []}
        reader.read(
            json.dumps(
                {"type": "assistant", "parent_tool_use_id": "t", "error": "rate_limit", "message": message}
            ).encode()
        )
        found = reader.read(json.dumps({"type": "result", "subtype": "error_max_turns", "is_error": True}).encode())
        assert not any(isinstance(report, Failure) for report in found)


def test_blocks_of_one_message_are_one_turn_and_one_request() -> None:
    reader, ledger = ClaudeStream(), Ledger()
    found: list[Report] = []
    for block in ({"type": "thinking"}, {"type": "text", "text": "a"}, {"type": "tool_use", "name": "Read"}):
        message = {"id": "m1", "model": "x", "content": [block], "usage": {"input_tokens": 7, "output_tokens": 1}}
        found += reader.read(json.dumps({"type": "assistant", "message": message}).encode())
    assert said(found) == ["model x", "turn", "text a", "tool Read "]
    (row,) = counted(found, ledger).values()
    assert row.counts == Counts(input=7)


def test_a_write_that_was_refused_is_no_file() -> None:
    reader = ClaudeStream()
    call = {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": "x"}}
    reader.read(json.dumps({"type": "assistant", "message": {"id": "m", "content": [call]}}).encode())
    back = {"type": "tool_result", "tool_use_id": "t", "is_error": True}
    assert list(reader.read(json.dumps({"type": "user", "message": {"content": [back]}}).encode())) == []


def test_calls_that_nobody_answers_are_bounded() -> None:
    reader = ClaudeStream()
    for number in range(MAX_WRITES + 1):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Write", "input": {"file_path": "x"}}
        reader.read(json.dumps({"type": "assistant", "message": {"id": "m", "content": [call]}}).encode())
    back = {"type": "tool_result", "tool_use_id": f"t{MAX_WRITES}"}
    assert list(reader.read(json.dumps({"type": "user", "message": {"content": [back]}}).encode())) == []


@pytest.mark.parametrize(
    "line", [b"plain words", b"[1]", b'{"no": "type"}', b'{"type": 5}', b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}']
)
def test_a_line_that_is_none_of_its_own_is_not_understood(line: bytes) -> None:
    assert ClaudeStream().read(line) == (Unknown(line=line),)


@pytest.mark.parametrize("kind", ["system", "assistant", "user", "result", "rate_limit_event", "something_new"])
@pytest.mark.parametrize("junk", [None, 5, "x", [], {}, [None, 5, {"type": []}], {"content": [{"type": {}}], "id": []}])
def test_known_lines_with_junk_in_them_do_not_raise(kind: str, junk: object) -> None:
    keys = (
        "subtype",
        "message",
        "usage",
        "modelUsage",
        "errors",
        "permission_denials",
        "rate_limit_info",
        "session_id",
    )
    ClaudeStream().read(json.dumps({"type": kind, **dict.fromkeys(keys, junk)}).encode())
    ClaudeStream().read(json.dumps({"type": kind, "subtype": "init", "model": junk}).encode())


def test_empty_lines_say_nothing() -> None:
    assert ClaudeStream().read(b"  \r") == ()
