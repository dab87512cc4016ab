"""The reader of opencode on what opencode really printed, and how it is started."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.agents import adapter
from harness.agents.base import Brief
from harness.agents.opencode_stream import OpencodeStream
from harness.reports import ErrorKind, Failure, Report, Result, Usage
from store.model import Counts
from tests.harness.agents.recordings import counted, lines, names, read, reports, said

CLI = "opencode"
HI = ["tool bash echo hi > out.txt", "turn"]

SAID = {
    "success": ["session", *HI, "text all done", "turn", "result"],
    "first": ["session", *HI, "text all done", "turn", "result"],
    "first_resumed": ["session", "text second turn", "turn", "result"],
    "anthropic_wire": ["session", *HI, "text done", "turn", "result"],
    "mcp": ["session", "tool tiny_note", "turn", "text done", "turn", "result"],
    "write": ["session", "tool write made.txt", "file made.txt", "turn", "text written", "turn", "result"],
    "denied": ["session", *HI, "result"],
    "unauthorized": ["session", "gave up auth", "result error"],
    "unauthorized_later": ["session", "gave up auth", "result error"],
    "not_configured": ["session", "gave up other", "result error"],
    "rate_limited": ["session", "gave up rate_limit", "result error"],
    "rate_limited_once": ["session", "text ok", "turn", "result"],
    "error_in_stream": ["session"],
    "interrupted_answer": ["session"],
    "killed": ["session"],
    "killed_resumed": ["session", "text after the crash", "turn", "result"],
    "session_gone": ["result error"],
}
PER_STEP = Counts(input=130, output=20, cache_read=400, cost=210_000)
NO_QUOTA = '{"error":{"code":"insufficient_quota"}}'


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


@pytest.mark.parametrize("name", ["success", "first", "first_resumed", "mcp", "write", "denied", "rate_limited_once"])
def test_counts_every_step(name: str) -> None:
    """The recordings have a request for a title beside their steps; midwatch gives the title itself."""
    steps = SAID[name].count("turn")
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts(
        **{key: steps * getattr(PER_STEP, key) for key in ("input", "output", "cache_read", "cost")}
    )
    assert not row.at_least


def test_cache_writes_are_counted_where_they_are_told() -> None:
    (row,) = counted(reports(CLI, "anthropic_wire")).values()
    assert row.counts == Counts(input=200, output=40, cache_read=800, cache_write=60, cost=1_665_000)


@pytest.mark.parametrize("name", ["killed", "interrupted_answer", "error_in_stream", "unauthorized_later"])
def test_what_no_step_stated_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


def test_an_attempt_that_was_cut_off_keeps_its_steps() -> None:
    found = read(CLI, lines(CLI, "success")[:4])
    assert not any(isinstance(report, Result) for report in found)
    (row,) = counted(found).values()
    assert (row.counts, row.at_least) == (PER_STEP, True)


def _result(found: list[Report]) -> Result:
    (result,) = [report for report in found if isinstance(report, Result)]
    return result


def test_success_carries_the_answer() -> None:
    assert _result(reports(CLI, "success")) == Result(ok=True, text="all done")


def test_a_denied_tool_is_named() -> None:
    assert _result(reports(CLI, "denied")).denied == ("bash",)


def test_a_session_that_is_gone_is_told_and_has_used_nothing() -> None:
    found = reports(CLI, "session_gone")
    assert _result(found) == Result(ok=False, error="Error: Session not found", session_gone=True)
    (row,) = counted(found).values()
    assert row.counts.cost == 0


def _read(*events: dict[str, object]) -> list[Report]:
    return read(CLI, [json.dumps({"sessionID": "ses_1", **one}).encode() for one in events])


def test_a_tool_that_failed_by_itself_was_not_denied() -> None:
    state = {"status": "error", "input": {}, "error": "no such file"}
    tool = {"type": "tool_use", "part": {"tool": "read", "state": state}}
    found = _read(tool, {"type": "step_finish", "part": {"reason": "stop"}})
    assert _result(found).denied == ()


def test_work_that_went_on_after_a_denied_tool_is_judged_by_its_end() -> None:
    state = {"status": "error", "error": "The user rejected permission to use this specific tool call."}
    tool = {"type": "tool_use", "part": {"tool": "bash", "state": state}}
    last = ({"type": "step_start"}, {"type": "step_finish", "part": {"reason": "stop"}})
    assert _result(_read(tool, *last)).denied == ()


def test_an_answer_that_was_cut_short_is_an_error() -> None:
    assert not _result(_read({"type": "step_finish", "part": {"reason": "length"}})).ok


def test_a_stop_that_was_not_the_end_is_no_result() -> None:
    found = _read({"type": "step_finish", "part": {"reason": "stop"}}, {"type": "step_start"})
    assert not any(isinstance(report, Result) for report in found)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"name": "ProviderAuthError", "data": {"message": "no key"}}, ErrorKind.AUTH),
        ({"name": "APIError", "data": {"statusCode": 503}}, ErrorKind.OVERLOADED),
        (
            {
                "name": "APIError",
                "data": {"statusCode": 429, "responseBody": '{"error":{"code":"insufficient_quota"}}'},
            },
            ErrorKind.USAGE_LIMIT,
        ),
        ({"name": "APIError", "data": {"statusCode": 429, "responseBody": "<html>"}}, ErrorKind.RATE_LIMIT),
        ({"name": "UnknownError", "data": {"message": "statusCode 401"}}, ErrorKind.OTHER),
    ],
)
def test_kinds(error: dict[str, object], kind: ErrorKind) -> None:
    (failure,) = [one for one in _read({"type": "error", "error": error}) if isinstance(one, Failure)]
    assert failure.kind is kind


@pytest.mark.parametrize(
    ("tokens", "output"),
    [
        ({"output": 20, "reasoning": 0, "total": 20}, 20),
        ({"output": 20, "reasoning": 5, "total": 155, "input": 100, "cache": {"read": 30, "write": 0}}, 25),
        ({"output": 20, "reasoning": 5, "total": 150, "input": 100, "cache": {"read": 30, "write": 0}}, 20),
        ({"output": 20, "reasoning": 5}, 25),
        ({"reasoning": 5}, None),
    ],
)
def test_what_was_thought_counts_as_output_once(tokens: dict[str, object], output: int | None) -> None:
    found = OpencodeStream().read(json.dumps({"type": "step_finish", "part": {"tokens": tokens}}).encode())
    assert [report.counts.output for report in found if isinstance(report, Usage)] == [output]


class TestInvoke:
    BRIEF = Brief(prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111")

    def test_a_fresh_start_has_a_title_so_that_none_is_asked_for(self) -> None:
        argv = adapter("opencode").invoke(self.BRIEF).argv
        assert argv == ("opencode", "run", "--format", "json", "--title", "midwatch")
        named = adapter("opencode").invoke(replace(self.BRIEF, args=("--title", "mine"))).argv
        assert "midwatch" not in named

    def test_a_session(self) -> None:
        argv = adapter("opencode").invoke(replace(self.BRIEF, session="ses_1", model="acme/large")).argv
        assert argv[-4:] == ("--model", "acme/large", "--session", "ses_1")

    def test_tools_that_the_workflow_allows(self) -> None:
        allowed = replace(self.BRIEF, allow=("bash", "edit"))
        env = adapter("opencode").invoke(allowed).env
        assert json.loads(env["OPENCODE_PERMISSION"]) == {"bash": "allow", "edit": "allow"}
        assert not adapter("opencode").invoke(self.BRIEF).env
        assert not adapter("opencode").invoke(replace(allowed, env={"OPENCODE_PERMISSION": "{}"})).env

    def test_its_credential_has_no_shape(self) -> None:
        assert adapter("opencode").credential({"HOME": "/home/one", "ANTHROPIC_API_KEY": "k"}) is None
