"""What is read of OpenClaw, and how it is started."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from harness.agents import adapter
from harness.agents.base import Brief
from harness.agents.openclaw_document import MAX_BYTES, MAX_TURNS, OpenclawDocument
from harness.reports import ErrorKind, Failure, Report, Result, Turn, Unknown, Usage
from store.model import Counts
from tests.harness.agents.recordings import billed, billed_without_writes, counted, lines, names, read, reports, said

CLI = "openclaw"

SAID = {
    "success": ["model fake-model", "turn", "turn", "text all done", "result"],
    "anthropic_wire": ["model fake-model", "turn", "text ok", "result"],
    "unauthorized": ["gave up auth", "result error"],
    "rate_limited": ["gave up other", "result error"],
    "error_in_stream": ["gave up overloaded", "result error"],
    "killed": [],
}


def test_every_recording_is_expected_here() -> None:
    assert names(CLI) == sorted(SAID)


@pytest.mark.parametrize("name", SAID)
def test_says_what_happened(name: str) -> None:
    assert said(reports(CLI, name)) == SAID[name]


def test_counts_what_the_model_billed() -> None:
    (row,) = counted(reports(CLI, "success")).values()
    assert row.counts == replace(billed_without_writes(CLI, "success"), cost=420_000)
    (row,) = counted(reports(CLI, "anthropic_wire")).values()
    assert replace(row.counts, cost=None) == billed(CLI, "anthropic_wire")


@pytest.mark.parametrize("name", ["unauthorized", "rate_limited", "error_in_stream", "killed"])
def test_what_it_does_not_tell_is_unknown(name: str) -> None:
    (row,) = counted(reports(CLI, name)).values()
    assert row.counts == Counts()


def test_success_carries_the_answer() -> None:
    assert reports(CLI, "success")[-1] == Result(ok=True, text="all done")


@pytest.mark.parametrize("output", [[b"plain words"], [b"[1]"], [b"", b'{"ok": 5}'], [b"[" * 100_000], [b"\xff"]])
def test_what_is_no_document_of_its_own_is_not_understood(output: list[bytes]) -> None:
    first = next(line for line in output if line)
    assert read(CLI, output) == [Unknown(line=first), Usage(counts=Counts())]


def test_half_a_document_is_not_understood() -> None:
    assert said(read(CLI, lines(CLI, "success")[:-1])) == ["unknown"]


def test_a_document_without_end_is_not_kept() -> None:
    reader = OpenclawDocument()
    for _ in range(3):
        reader.read(b"x" * (MAX_BYTES // 2))
    assert len(reader._lines) < 3
    assert said(list(reader.end())) == ["unknown"]


def _read(**document: object) -> list[Report]:
    return read(CLI, [json.dumps({"ok": False, **document}).encode()])


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Authentication failed (provider returned HTTP 403). Your", ErrorKind.AUTH),
        ("The AI service is temporarily overloaded. Please", ErrorKind.OVERLOADED),
        ("it said: Authentication failed (provider returned HTTP 401)", ErrorKind.OTHER),
        (None, ErrorKind.OTHER),
    ],
)
def test_kinds(message: str | None, kind: ErrorKind) -> None:
    found = _read(error={"message": message})
    assert [report.kind for report in found if isinstance(report, Failure)] == [kind]
    assert isinstance(found[-1], Result)
    assert found[-1].error


@pytest.mark.parametrize("junk", [None, 5, "x", [], {}, True, 10**30, {"input": "5", "cacheRead": -1}])
def test_junk_in_place_of_any_value_does_not_raise(junk: object) -> None:
    for ok in (True, False):
        document = dict.fromkeys(("model", "usage", "final", "error", "costUsd", "assistantTurns"), junk)
        found = _read(**{**document, "ok": ok})
        assert [report.counts.input for report in found if isinstance(report, Usage)] == [None]


def test_turns_are_bounded() -> None:
    assert sum(isinstance(report, Turn) for report in _read(assistantTurns=10**9)) == MAX_TURNS


class TestInvoke:
    BRIEF = Brief(prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111")

    def test_a_start(self) -> None:
        argv = adapter("openclaw").invoke(replace(self.BRIEF, model="acme/large")).argv
        assert argv == (
            *("openclaw", "agent", "exec", "--json", "--message-file", "-"),
            *("--timeout", "604800", "--model", "acme/large"),
        )

    def test_its_credential_has_no_shape(self) -> None:
        assert adapter("openclaw").credential({"HOME": "/home/one", "OPENAI_API_KEY": "k"}) is None
