"""The adapter of opencode with the real opencode: what it starts, what it reads, what it counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.agents import adapter
from harness.reports import ErrorKind, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, Attempt, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed

OPENCODE = adapter("opencode")
PRICES = {"input": 1, "output": 2, "cache_read": 0.1, "cache_write": 1.25}
COST = 210_000  # nano-dollars of one request: 130 in, 20 out and 400 from the cache at these prices


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("opencode-ai", OPENCODE.tested, "opencode-*/bin/opencode")


@pytest.fixture
def configure(terminal: dict[str, str], model: FakeModel) -> Callable[..., None]:
    """Writes its settings: the fake model as its provider, and what else a test wants."""

    def configure(**more: Any) -> None:
        one = {"name": "fake-model", "tool_call": True, "cost": PRICES, "limit": {"context": 200_000, "output": 8000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.base}/v1", "apiKey": "sk-test-not-a-key"},
            "models": {"fake-model": one},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "fake/fake-model",
            "provider": {"fake": provider},
        }
        path = Path(terminal["HOME"]) / ".config/opencode/opencode.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**settings, **more}))

    configure()
    return configure


@pytest.fixture
def ask(start: Ask, program: Path, terminal: dict[str, str], configure: Callable[..., None]) -> Ask:
    switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
    return asking(start, OPENCODE, program, {**terminal, **{f"OPENCODE_DISABLE_{name}": "1" for name in switches}})


def counted(attempt: Attempt) -> Counts:
    return replace(attempt.row.counts, cost=None)


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(OPENCODE, program, terminal) == OPENCODE.tested


def test_success_with_a_tool_call_and_a_written_file(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[tool:write other.txt hello]] [[say:all done]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text) == (True, "all done")
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="bash", detail="echo hi > made.txt") in attempt.reports()
    assert File(path="other.txt") in attempt.reports()
    assert attempt.turns == len(model.requests()) == 3
    assert counted(attempt) == model.billed_without_writes()
    assert (attempt.row.counts.cost, attempt.row.at_least) == (3 * COST, False)


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 200_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]")
    assert attempt.end() == 1
    assert not attempt.result.ok
    assert attempt.failures == [(ErrorKind.AUTH, False)]
    assert model.statuses() == [401]
    assert attempt.row.counts == Counts()


@pytest.mark.parametrize("allowed", [False, True])
def test_a_tool_that_nobody_allows_is_denied_and_said(
    ask: Ask, configure: Callable[..., None], tmp_path: Path, allowed: bool
) -> None:
    configure(permission={"bash": "ask"})
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:tried]]", allow=("bash",) if allowed else ())
    assert attempt.end() == 0
    assert attempt.result.denied == (() if allowed else ("bash",))
    assert (tmp_path / "project/made.txt").exists() == allowed


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, model: FakeModel) -> None:
    """What the first attempt is known to have used stays counted, and the second counts only itself (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]")
    first.until(lambda: len(model.requests()) == 2, seconds=60)
    first.kill()
    assert first.row.counts.input == model.billed_without_writes(since=1).input
    assert first.row.at_least
    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[0]["messages"], "the history was not there"
    assert counted(second) == model.billed_without_writes(since=2)
    assert not second.row.at_least


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session="ses_dd127fcf6ffechfVGluV7DdFkB")
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


@pytest.mark.long
def test_a_rate_limit_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert counted(attempt) == model.billed_without_writes()


@pytest.mark.long
def test_a_rate_limit_that_does_not(ask: Ask) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end(seconds=200) == 1
    assert attempt.failures == [(ErrorKind.RATE_LIMIT, False)]
