"""`cli = "command"`: the whole table of contract.md, and everything that is not in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import adapter
from harness.agents.base import Brief
from harness.reports import (
    Blocked,
    ErrorKind,
    Failure,
    File,
    Report,
    Result,
    Session,
    Text,
    Tool,
    Turn,
    Unknown,
    Usage,
)
from store.model import Counts

BRIEF = Brief(prompt="do it", attempt_session="fresh", run=("prog", "a b"), resume=("prog", "--at={{ session }}"))


def read(line: str | bytes) -> tuple[Report, ...]:
    reader = adapter("command").reader(reports=True)
    return tuple(reader.read(line.encode() if isinstance(line, str) else line))


UNDERSTOOD = {
    '{"report":"session","id":"s-1"}': Session(id="s-1"),
    '{"report":"turn"}': Turn(),
    '{"report":"text","text":"done"}': Text(text="done"),
    '{"report":"text","text":""}': Text(text=""),
    '{"report":"tool","name":"grep","detail":"-r x\\nmore"}': Tool(name="grep", detail="-r x"),
    '{"report":"tool","name":"grep"}': Tool(name="grep"),
    '{"report":"file","path":"out/a.txt"}': File(path="out/a.txt"),
    '{"report":"blocked","reason":"no key"}': Blocked(reason="no key"),
    '{"report":"usage"}': Usage(counts=Counts()),
    '{"report":"usage","id":"r1","model":"m","input":1,"output":2,"cache_read":0,"cache_write":3}': Usage(
        request="r1", model="m", counts=Counts(input=1, output=2, cache_read=0, cache_write=3)
    ),
    '{"report":"usage","input":5,"cumulative":true}': Usage(counts=Counts(input=5), cumulative=True),
    '{"report":"usage","input":null,"model":null,"cost_usd":2}': Usage(counts=Counts(cost=2_000_000_000)),
    '{"report":"usage","cost_usd":0.000000001}': Usage(counts=Counts(cost=1)),
    '{"report":"usage","cost_usd":0.1}': Usage(counts=Counts(cost=100_000_000)),
    '{"report":"usage","input":3.0}': Usage(counts=Counts(input=3)),
    ' {"report":"turn","more":"keys"} ': Turn(),
}


@pytest.mark.parametrize("line", UNDERSTOOD)
def test_understood(line: str) -> None:
    assert read(line) == (UNDERSTOOD[line],)


@pytest.mark.parametrize(
    "line",
    ["plain words", "[]", "5", "{}", '{"text":"report"}', "{report", "[" * 100_000, b"\x00\x01\x1b[31m"],
    ids=lambda line: str(line[:60]),
)
def test_what_was_not_meant_as_a_report_is_not_understood(line: str | bytes) -> None:
    raw = line.encode() if isinstance(line, str) else line
    assert read(raw) == (Unknown(line=raw),)


NAMED = "must be 1 to 256 printable characters that do not begin with '-'"
MISREAD = {
    '{"report":"dance"}': "there is no report 'dance'; it can be 'session', 'turn'",
    '{"report":"blockd","reason":"x"}': "there is no report 'blockd'; did you mean 'blocked'?",
    '{"report":5}': "report must be text",
    '{"report":null}': "report must be text",
    '{"report":["turn"]}': "report must be text",
    '{"report":"session"}': "session needs id",
    '{"report":"session","id":5}': "id of session must be text",
    '{"report":"session","id":""}': f"id of session {NAMED}",
    '{"report":"session","id":"--continue"}': f"id of session {NAMED}",
    '{"report":"session","id":"a\\u0000b"}': f"id of session {NAMED}",
    '{"report":"session","id":"' + "x" * 257 + '"}': f"id of session {NAMED}",
    '{"report":"text"}': "text needs text",
    '{"report":"text","text":null}': "text of text must be text",
    '{"report":"text","text":["a"]}': "text of text must be text",
    '{"report":"tool","detail":"x"}': "tool needs name",
    '{"report":"tool","name":"x","detail":5}': "detail of tool must be text",
    '{"report":"file"}': "file needs path",
    '{"report":"file","path":""}': "path of file must be a path",
    '{"report":"file","path":"a\\u0000b"}': "path of file must be a path",
}


@pytest.mark.parametrize("line", MISREAD, ids=lambda line: line[:60])
def test_what_was_meant_as_a_report_says_why_it_is_none(line: str) -> None:
    (unknown,) = read(line)
    assert isinstance(unknown, Unknown) and unknown.line == line.encode()
    assert unknown.why is not None and unknown.why.startswith(MISREAD[line])


@pytest.mark.parametrize(
    ("key", "values", "what"),
    [
        ("id", ["5", '""'], NAMED),
        ("model", ['["m"]'], NAMED),
        ("cumulative", ['"yes"', "1"], "must be true or false"),
        (
            "input",
            ['"1"', "true", "1.5", "-1", "1e300"],
            "must be a whole number, 0 or more",
        ),
        (
            "cost_usd",
            ["NaN", "Infinity", "-Infinity", "-0.01", '"0.01"', "false", "1e9"],
            "must be a number of dollars, 0 or more",
        ),
    ],
)
def test_a_usage_that_cannot_be_read_leaves_the_sums_unknown(key: str, values: list[str], what: str) -> None:
    for value in values:
        line = f'{{"report":"usage","output":3,"{key}":{value}}}'
        unread = Usage(counts=Counts(), at_least=True)
        assert read(line) == (unread, Unknown(line=line.encode(), why=f"{key} of usage {what}"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"report":"turn"', ()),
        (b'{"report":"text","text":"\xff"}', ()),
        ('{"report":"usage","input":' + "9" * 5000 + "}", ()),
        ('{"report":"usage","input":1e99999999999999999999}', ()),
        ('{"report":"blocked","reason":"no "key""}', (Blocked(reason="said blocked without a reason"),)),
        ('{"report": "error"', (Failure(kind=ErrorKind.OTHER, message="said error without a message"),)),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_was_meant_as_a_report_and_is_not_json(line: str | bytes, told: tuple[Report, ...]) -> None:
    raw = line.encode() if isinstance(line, str) else line
    assert read(raw) == (*told, Unknown(line=raw, why="it cannot be read as JSON"))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"report":"blocked"}', "blocked needs reason"),
        ('{"report":"blocked","text":"no key"}', "blocked needs reason"),
        ('{"report":"blocked","reason":7}', "reason of blocked must be text"),
    ],
)
def test_a_blocked_without_its_reason_is_blocked_all_the_same(line: str, why: str) -> None:
    told = Blocked(reason="said blocked without a reason")
    assert read(line) == (told, Unknown(line=line.encode(), why=why))


def test_an_empty_line_is_nothing() -> None:
    assert read("") == read(" \r") == ()


def test_half_a_surrogate_pair_becomes_a_text_that_can_be_stored() -> None:
    (report,) = read('{"report":"text","text":"a\\ud800b"}')
    assert report == Text(text="a?b")


@given(st.decimals(min_value=0, max_value=1000, places=9))
def test_cost_is_exact(cost: object) -> None:
    (report,) = read(f'{{"report":"usage","cost_usd":{cost:f}}}')
    assert isinstance(report, Usage)
    assert report.counts.cost == int(str(f"{cost:f}").replace(".", ""))


class TestErrors:
    @pytest.mark.parametrize("kind", list(ErrorKind))
    def test_an_error_fails_the_attempt_whatever_follows(self, kind: ErrorKind) -> None:
        reader = adapter("command").reader(reports=True)
        line = json.dumps({"report": "error", "kind": kind, "message": "no"}).encode()
        assert reader.read(line) == (Failure(kind=kind, message="no"),)
        reader.read(b'{"report":"text","text":"all fine"}')
        assert reader.end() == (Result(ok=False, error="no"),)

    def test_without_a_kind_it_is_some_other(self) -> None:
        assert read('{"report":"error","message":"no"}') == (Failure(kind=ErrorKind.OTHER, message="no"),)

    @pytest.mark.parametrize(
        ("kind", "why"),
        [
            ('"outh"', "kind of error cannot be 'outh'; did you mean 'auth'?"),
            ("5", "kind of error cannot be '5'; it must be text"),
        ],
    )
    def test_of_a_kind_that_nobody_knows_it_is_a_failure_all_the_same(self, kind: str, why: str) -> None:
        line = f'{{"report":"error","kind":{kind},"message":"no"}}'
        assert read(line) == (Failure(kind=ErrorKind.OTHER, message="no"), Unknown(line=line.encode(), why=why))

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ('{"report":"error","kind":"auth","text":"no"}', "error needs message"),
            ('{"report":"error","kind":"auth","message":5}', "message of error must be text"),
        ],
    )
    def test_without_its_message_it_is_a_failure_all_the_same(self, line: str, why: str) -> None:
        reader = adapter("command").reader(reports=True)
        failure = Failure(kind=ErrorKind.AUTH, message="said error without a message")
        assert tuple(reader.read(line.encode())) == (failure, Unknown(line=line.encode(), why=why))
        assert reader.end() == (Result(ok=False, error="said error without a message"),)

    def test_with_an_empty_message_its_kind_is_named(self) -> None:
        (failure,) = read('{"report":"error","kind":"auth","message":""}')
        assert failure == Failure(kind=ErrorKind.AUTH, message="it reported an error of kind 'auth'")

    def test_with_none_its_exit_status_is_the_result(self) -> None:
        assert adapter("command").reader(reports=True).end() == ()


def test_plain_output_is_not_read() -> None:
    reader = adapter("command").reader()
    assert reader.read(b'{"report":"error","kind":"auth"}') == ()
    assert reader.end() == ()


class TestInvoke:
    def test_the_prompt_is_on_standard_input_and_nowhere_else(self) -> None:
        invocation = adapter("command").invoke(BRIEF)
        assert invocation.argv == ("prog", "a b")
        assert (invocation.stdin, invocation.session, dict(invocation.env)) == ("do it", None, {})

    def test_a_session_is_taken_up_by_its_exact_id(self) -> None:
        from dataclasses import replace

        invocation = adapter("command").invoke(replace(BRIEF, session="s 1; rm"))
        assert invocation.argv == ("prog", "--at=s 1; rm")
        assert invocation.session == "s 1; rm"

    def test_one_that_cannot_take_up_a_session_starts_afresh(self) -> None:
        from dataclasses import replace

        invocation = adapter("command").invoke(replace(BRIEF, session="s1", resume=()))
        assert (invocation.argv, invocation.session) == (("prog", "a b"), None)
