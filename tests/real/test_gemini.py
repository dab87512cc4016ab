"""The adapter of Gemini CLI with the real Gemini CLI: what it starts, what it reads, what it counts."""

from __future__ import annotations

import json
import uuid
from hashlib import sha256
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.reports import ErrorKind, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed

GEMINI = adapter("gemini")
KEY = "sk-test-not-a-key"
SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
}
SHELL = ("run_shell_command",)


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("@google/gemini-cli", GEMINI.tested, ".bin/gemini")


@pytest.fixture
def env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    folder = Path(terminal["HOME"]) / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    return {
        **terminal,
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": model.base,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


@pytest.fixture
def ask(start: Ask, program: Path, env: dict[str, str]) -> Ask:
    def ask(prompt: str, **more: object) -> object:
        return asking(start, GEMINI, program, env)(prompt, **{"model": "gemini-2.5-flash", **more})

    return ask


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(GEMINI, program, terminal) == GEMINI.tested


def test_success_with_a_tool_call_and_a_written_file(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[tool:write other.txt hello]] [[say:all done]]", allow=SHELL)
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text) == (True, "all done")
    assert attempt.session == attempt.invocation.session
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="run_shell_command", detail="echo hi > made.txt") in attempt.reports()
    assert File(path="other.txt") in attempt.reports()
    assert attempt.turns == len(model.requests()) == 3
    assert (attempt.row.model, attempt.row.counts) == ("gemini-2.5-flash", model.billed_without_writes())
    assert not attempt.row.at_least


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 200_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_shell_that_nobody_allows_is_not_offered(ask: Ask, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:never]]")
    assert attempt.end() == 0
    assert attempt.result.text == "FAKE-NO-TOOL bash"
    assert not (tmp_path / "project/made.txt").exists()


@pytest.mark.parametrize(
    "marker", ["401", pytest.param("403", marks=pytest.mark.long), pytest.param("400:API_KEY_INVALID")]
)
def test_a_refused_sign_in(ask: Ask, model: FakeModel, marker: str) -> None:
    attempt = ask(f"[[status:{marker}]]")
    assert attempt.end() == int(marker[:3]) % 256
    assert not attempt.result.ok
    assert attempt.failures == [(ErrorKind.AUTH, False)]
    assert model.statuses() == [int(marker[:3])]
    assert attempt.row.counts == model.billed_without_writes()


def test_no_sign_in_at_all(ask: Ask, model: FakeModel, env: dict[str, str]) -> None:
    attempt = ask("[[say:never]]", env={name: value for name, value in env.items() if name != "GEMINI_API_KEY"})
    assert attempt.end() == 41
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])
    assert model.requests() == []


def test_an_answer_about_a_refused_sign_in_is_no_refused_sign_in(ask: Ask) -> None:
    attempt = ask('[[say:[API Error: {"error": {"code": 401}}]]]')
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.failures) == (True, [])


def test_a_rate_limit_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert model.statuses() == [429, 200]
    assert attempt.row.counts == model.billed_without_writes()


@pytest.mark.long
def test_a_rate_limit_that_does_not(ask: Ask) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end(seconds=400) == 429 % 256
    assert attempt.failures == [(ErrorKind.RATE_LIMIT, False)]


@pytest.mark.long
def test_a_folder_that_it_does_not_trust(ask: Ask, env: dict[str, str]) -> None:
    attempt = ask("[[say:never]]", env={**env, "GEMINI_CLI_TRUST_WORKSPACE": ""})
    assert attempt.end() == 55
    assert "not running in a trusted directory" in str(attempt.result.error)


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, model: FakeModel) -> None:
    """The second counts only itself (U4); what the first had used stays unknown."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", allow=SHELL)
    first.until(lambda: len(model.requests()) == 2)
    first.kill()
    assert first.row.counts == Counts()
    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[0]["messages"], "the history was not there"
    assert second.row.counts == model.billed_without_writes(since=2)


def test_the_polite_signal_ends_it(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[stall:60]] [[say:never]]")
    attempt.until(lambda: len(model.requests()) == 1)
    assert attempt.signal(GEMINI.polite) == 0


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 42
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


def test_the_credential_that_has_a_shape_is_the_one_it_uses(ask: Ask, env: dict[str, str], model: FakeModel) -> None:
    there = {**env, "GOOGLE_API_KEY": "passed over"}
    attempt = ask("[[say:ok]]", env=there)
    attempt.until(lambda: bool(model.requests()))
    shape = GEMINI.credential(there)
    assert shape is not None
    assert (shape.place, shape.provider) == ("GEMINI_API_KEY", f"google at {model.base}")
    assert model.requests()[0]["cred"] == sha256(KEY.encode()).hexdigest()[:8]
