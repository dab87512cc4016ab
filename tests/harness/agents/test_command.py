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
    [
        "plain words",
        "[]",
        "5",
        "{}",
        '{"report":"dance"}',
        '{"report":5}',
        '{"report":["turn"]}',
        '{"report":"turn"',
        '{"report":"session"}',
        '{"report":"session","id":5}',
        '{"report":"session","id":""}',
        '{"report":"session","id":"--continue"}',
        '{"report":"session","id":"a\\u0000b"}',
        '{"report":"session","id":"' + "x" * 257 + '"}',
        '{"report":"text"}',
        '{"report":"text","text":null}',
        '{"report":"text","text":["a"]}',
        '{"report":"tool","detail":"x"}',
        '{"report":"tool","name":"x","detail":5}',
        '{"report":"file","path":""}',
        '{"report":"file","path":"a\\u0000b"}',
        '{"report":"blocked"}',
        '{"report":"usage","input":"1"}',
        '{"report":"usage","input":true}',
        '{"report":"usage","input":1.5}',
        '{"report":"usage","input":-1}',
        '{"report":"usage","input":1e300}',
        '{"report":"usage","input":1e99999999999999999999}',
        '{"report":"usage","input":' + "9" * 5000 + "}",
        '{"report":"usage","cost_usd":NaN}',
        '{"report":"usage","cost_usd":Infinity}',
        '{"report":"usage","cost_usd":-Infinity}',
        '{"report":"usage","cost_usd":-0.01}',
        '{"report":"usage","cost_usd":"0.01"}',
        '{"report":"usage","cost_usd":false}',
        '{"report":"usage","cost_usd":1e9}',
        '{"report":"usage","id":5}',
        '{"report":"usage","model":["m"]}',
        '{"report":"usage","cumulative":"yes"}',
        '{"report":"usage","cumulative":1}',
        '{"report":"error","kind":5,"message":"x"}',
        '{"report":"error","kind":"auth","message":5}',
        "[" * 100_000,
        b'{"report":"text","text":"\xff"}',
        b"\x00\x01\x1b[31m",
    ],
    ids=lambda line: str(line[:60]),
)
def test_anything_else_is_not_understood(line: str | bytes) -> None:
    raw = line.encode() if isinstance(line, str) else line
    assert read(raw) == (Unknown(line=raw),)


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

    def test_of_a_kind_that_nobody_knows_it_is_a_failure_all_the_same(self) -> None:
        line = '{"report":"error","kind":"odd","message":"no"}'
        assert read(line) == (Failure(kind=ErrorKind.OTHER, message="no"), Unknown(line=line.encode()))

    def test_without_a_message_it_is_named(self) -> None:
        (failure,) = read('{"report":"error","kind":"auth"}')
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
