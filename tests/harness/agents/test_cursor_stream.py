"""The reader of Cursor CLI on lines as its documentation shows them; none was ever recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Brief
from harness.reports import Report, Result, Usage
from store.model import Counts
from tests.harness.agents.recordings import read, said


def _message(words: str) -> dict[str, object]:
    content = [{"type": "text", "text": words}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, "session_id": "s"}


def _call(subtype: str, **call: object) -> dict[str, object]:
    return {"type": "tool_call", "subtype": subtype, "call_id": "c", "tool_call": call, "session_id": "s"}


def _read(*events: dict[str, object]) -> list[Report]:
    return read("cursor", [json.dumps(one).encode() for one in events])


WRITE = {"args": {"path": "made.txt", "fileText": "hello"}}
DONE = {**WRITE, "result": {"success": {"path": "/project/made.txt", "linesCreated": 1}}}
SUCCESS: dict[str, object] = {"type": "result", "subtype": "success", "is_error": False, "result": "so done"}


def test_a_success() -> None:
    found = _read(
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "permissionMode": "default"},
        {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "please"}]}},
        _message("so "),
        _call("started", writeToolCall=WRITE),
        _call("completed", writeToolCall=DONE),
        _message("done"),
        SUCCESS,
    )
    assert said(found) == [
        *("session", "model m", "turn", "text so ", "tool write made.txt", "file made.txt"),
        *("turn", "text done", "result"),
    ]
    assert Result(ok=True, text="done") in found


def test_a_write_that_failed_is_no_file() -> None:
    assert said(_read(_call("completed", writeToolCall={**WRITE, "result": {"error": {}}}))) == []


def test_a_call_of_a_kind_that_nobody_knows_is_told_all_the_same() -> None:
    assert said(_read(_call("started", function={"name": "x"}))) == ["tool ?"]


@pytest.mark.parametrize("more", [{"is_error": True}, {"subtype": "error"}])
def test_a_result_that_is_marked_as_an_error(more: dict[str, object]) -> None:
    assert said(_read({**SUCCESS, **more})) == ["result error"]


def test_what_it_used_is_unknown() -> None:
    assert Usage(counts=Counts()) in _read(SUCCESS)


@pytest.mark.parametrize("junk", [None, 5, "x", [], {}, {"writeToolCall": 5}, {"content": [5, {"text": []}]}])
def test_junk_in_place_of_any_value_does_not_raise(junk: object) -> None:
    for kind, subtype in (("system", "init"), ("assistant", None), ("tool_call", "completed"), ("result", "success")):
        keys = dict.fromkeys(("session_id", "model", "message", "tool_call", "result", "is_error"), junk)
        _read({"type": kind, "subtype": subtype, **keys})


class TestInvoke:
    BRIEF = Brief(
        prompt="plan",
        attempt_session="11111111-1111-4111-8111-111111111111",
        model="m",
        args=("--force",),
        prompt_file=Path("/private/prompt"),
    )

    def test_of_cursor(self) -> None:
        argv = adapter("cursor").invoke(self.BRIEF).argv
        beginning = ("cursor-agent", "--force", "--print", "--output-format", "stream-json", "--model", "m")
        assert argv[:-1] == beginning
        assert "/private/prompt" in argv[-1]

    def test_of_crush(self) -> None:
        argv = adapter("crush").invoke(replace(self.BRIEF, args=())).argv
        assert argv[:-1] == ("crush", "run", "--quiet", "--model", "m")
        assert "/private/prompt" in argv[-1]

    def test_a_key_of_cursor_has_a_shape(self) -> None:
        found = adapter("cursor").credential({"CURSOR_API_KEY": "sk-secret"})
        assert found is not None
        assert found.place == "CURSOR_API_KEY"
        assert "sk-secret" not in repr(found) + found.key

    def test_crush_has_none(self) -> None:
        assert adapter("crush").credential({"HOME": "/home/one"}) is None
