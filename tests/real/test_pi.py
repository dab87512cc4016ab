"""The adapter of pi with the real pi: what it starts, what it reads, what it counts."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.reports import ErrorKind, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, Attempt, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed

PI = adapter("pi")
PRICES = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25}
COST = 210_000  # nano-dollars of one request: 130 in, 20 out and 400 from the cache at these prices


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("@mariozechner/pi-coding-agent", PI.tested, ".bin/pi")


@pytest.fixture
def ask(start: Ask, program: Path, terminal: dict[str, str], model: FakeModel) -> Ask:
    key, one = "sk-test-not-a-key", {"id": "fake-model", "cost": PRICES}
    chat = {"baseUrl": f"{model.base}/v1", "api": "openai-completions", "apiKey": key, "models": [one]}
    messages = {"baseUrl": model.base, "api": "anthropic-messages", "apiKey": key, "models": [one]}
    folder = Path(terminal["HOME"]) / ".pi/agent"
    folder.mkdir(parents=True)
    (folder / "models.json").write_text(json.dumps({"providers": {"chat": chat, "messages": messages}}))
    env = {**terminal, "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}

    def ask(prompt: str, *, model: str = "chat/fake-model", **more: object) -> Attempt:
        return asking(start, PI, program, env)(prompt, model=model, **more)

    return ask


def counted(attempt: Attempt) -> Counts:
    return replace(attempt.row.counts, cost=None)


def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(PI, program, terminal) == PI.tested


def test_success_with_a_tool_call_and_a_written_file(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[tool:write other.txt hello]] [[say:all done]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text) == (True, "all done")
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="bash", detail="echo hi > made.txt") in attempt.reports()
    assert File(path="other.txt") in attempt.reports()
    assert attempt.turns == len(model.requests()) == 3
    assert counted(attempt) == model.billed_without_writes()
    assert (attempt.row.model, attempt.row.counts.cost, attempt.row.at_least) == ("fake-model", 3 * COST, False)


def test_cache_writes_where_the_protocol_tells_them(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:ok]]", model="messages/fake-model")
    assert attempt.end() == 0
    assert counted(attempt) == model.billed()


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 200_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]")
    assert attempt.end() == 0
    assert not attempt.result.ok
    assert attempt.failures == [(ErrorKind.AUTH, True), (ErrorKind.AUTH, False)]
    assert model.statuses() == [401]
    assert attempt.row.counts == model.billed_without_writes()


def test_no_sign_in_at_all(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", model="anthropic/claude-sonnet-4-5")
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])
    assert model.requests() == []


def test_an_answer_about_a_refused_sign_in_is_no_refused_sign_in(ask: Ask) -> None:
    attempt = ask("[[say:401 Incorrect API key provided]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.failures) == (True, [])


def test_a_rate_limit_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert counted(attempt) == model.billed_without_writes()


@pytest.mark.long
def test_a_rate_limit_that_does_not(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end() == 0
    assert attempt.failures == [*[(ErrorKind.RATE_LIMIT, True)] * 4, (ErrorKind.RATE_LIMIT, False)]
    assert not attempt.result.ok


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, model: FakeModel) -> None:
    """What the first attempt is known to have used stays counted, and the second counts only itself (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]")
    first.until(lambda: len(model.requests()) == 2)
    first.kill()
    assert (counted(first), first.row.at_least) == (Counts(input=130, output=20, cache_read=400), True)
    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[0]["messages"], "the history was not there"
    assert counted(second) == model.billed_without_writes(since=2)
    assert not second.row.at_least


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0
