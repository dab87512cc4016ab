"""The adapter of OpenClaw with the real OpenClaw, on a Node of its own. It takes some ten seconds a turn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.reports import ErrorKind, Result
from store.model import Counts
from tests.real.attempt import Ask, Attempt, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed, newer_node

OPENCLAW = adapter("openclaw")
ONE = {
    "id": "fake-model",
    "name": "fake-model",
    "input": ["text"],
    "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25},
    "contextWindow": 200_000,
    "maxTokens": 8_000,
}
COST = 210_000  # nano-dollars of one request: 130 in, 20 out and 400 from the cache at these prices


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("openclaw", OPENCLAW.tested, ".bin/openclaw", scripts_by=newer_node())


@pytest.fixture
def env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    one = {"baseUrl": f"{model.base}/v1", "apiKey": "sk-test-not-a-key", "api": "openai-completions", "models": [ONE]}
    folder = Path(terminal["HOME"]) / ".openclaw"
    folder.mkdir()
    (folder / "openclaw.json").write_text(json.dumps({"models": {"mode": "merge", "providers": {"fake": one}}}))
    path = f"{newer_node().parent}:{terminal['PATH']}"
    return {**terminal, "PATH": path, "DO_NOT_TRACK": "1", "OPENCLAW_DISABLE_UPDATE_CHECK": "1"}


@pytest.fixture
def ask(start: Ask, program: Path, env: dict[str, str]) -> Ask:
    def ask(prompt: str) -> Attempt:
        return asking(start, OPENCLAW, program, env)(prompt, model="fake/fake-model")

    return ask


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, env: dict[str, str]) -> None:
    assert printed_version(OPENCLAW, program, env) == OPENCLAW.tested


def test_success_with_a_tool_call(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("x " * 100_000 + "[[tool:bash echo hi > made.txt]] [[say:all done]]")
    assert attempt.end() == 0
    assert attempt.result == Result(ok=True, text="all done")
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert attempt.turns == len(model.requests()) == 2
    assert replace(attempt.row.counts, cost=None) == model.billed_without_writes()
    assert (attempt.row.model, attempt.row.counts.cost) == ("fake-model", 2 * COST)


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]")
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])
    assert model.statuses() == [401]
    assert attempt.row.counts == Counts()


@pytest.mark.long
def test_a_rate_limit(ask: Ask) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.OTHER, False)])


def test_killed_in_mid_turn_nothing_is_known(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]")
    attempt.until(lambda: len(model.requests()) == 2, seconds=60)
    attempt.kill()
    assert not any(isinstance(report, Result) for report in attempt.reports())
    assert attempt.row.counts == Counts()
