"""The adapter of Qwen Code with the real Qwen Code, on a Node of its own since it needs a newer one than many have."""

from __future__ import annotations

import json
import uuid
from hashlib import sha256
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.ledger import Ledger
from harness.reports import ErrorKind, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed, newer_node

QWEN = adapter("qwen")
OLD = "0.15.10"  # reports errors in another way
KEY = "sk-test-not-a-key"
SETTINGS = {
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "openai"}},
}
SHELL = ("run_shell_command",)


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("@qwen-code/qwen-code", QWEN.tested, ".bin/qwen")


@pytest.fixture
def env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    folder = Path(terminal["HOME"]) / ".qwen"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    return {
        **terminal,
        "PATH": f"{newer_node().parent}:{terminal['PATH']}",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{model.base}/v1",
        "OPENAI_MODEL": "fake-model",
    }


@pytest.fixture
def ask(start: Ask, program: Path, env: dict[str, str]) -> Ask:
    return asking(start, QWEN, program, env)


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, env: dict[str, str]) -> None:
    assert printed_version(QWEN, program, env) == QWEN.tested


def test_success_with_a_tool_call_and_a_written_file(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    other = tmp_path / "project/other.txt"
    attempt = ask(f"[[tool:bash echo hi > made.txt]] [[tool:write {other} hello]] [[say:all done]]", allow=SHELL)
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text) == (True, "all done")
    assert attempt.session == attempt.invocation.session
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="run_shell_command", detail="echo hi > made.txt") in attempt.reports()
    assert File(path=str(other)) in attempt.reports()
    assert attempt.turns == 3
    assert (attempt.row.model, attempt.row.counts) == ("fake-model", model.billed_without_writes())
    assert not attempt.row.at_least


def test_its_request_about_what_to_remember_is_counted(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:ok]]")
    assert attempt.end() == 0
    assert attempt.turns == 1
    assert len(model.requests()) == 2
    assert attempt.row.counts == model.billed_without_writes()


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 100_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_shell_that_nobody_allows_is_not_offered(ask: Ask, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:never]]")
    assert attempt.end() == 0
    assert attempt.result.text == "FAKE-NO-TOOL bash"
    assert not (tmp_path / "project/made.txt").exists()


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]")
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])
    assert model.statuses() == [401]
    assert attempt.row.counts == model.billed_without_writes()


def test_a_refused_sign_in_that_an_old_version_calls_a_success(
    start: Ask, env: dict[str, str], model: FakeModel
) -> None:
    direct = {name: value for name, value in env.items() if name not in ("HTTP_PROXY", "HTTPS_PROXY")}
    attempt = asking(start, QWEN, installed("@qwen-code/qwen-code", OLD, ".bin/qwen"), direct)("[[status:401]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.OTHER, False)])
    assert model.statuses() == [401]


def test_no_sign_in_at_all(ask: Ask, model: FakeModel, env: dict[str, str]) -> None:
    attempt = ask("[[say:never]]", env={name: value for name, value in env.items() if name != "OPENAI_API_KEY"})
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.failures) == (False, [(ErrorKind.AUTH, False)])
    assert model.requests() == []


def test_an_answer_about_a_refused_sign_in_is_no_refused_sign_in(ask: Ask) -> None:
    attempt = ask("[[say:[API Error: 401 Incorrect API key provided]]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.failures) == (True, [])


def test_a_rate_limit_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert model.statuses()[:2] == [429, 200]
    assert attempt.row.counts == model.billed_without_writes()


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, model: FakeModel) -> None:
    """What the first attempt is known to have used stays counted, and none of it counts again (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", allow=SHELL)
    first.until(lambda: len(model.requests()) == 2)
    first.kill()
    assert (first.row.counts, first.row.at_least) == (Counts(input=130, output=20, cache_read=400), True)
    ledger = Ledger()
    first.rows(ledger)
    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[0]["messages"], "the history was not there"
    (row,) = second.rows(Ledger(ledger.session_totals)).values()
    assert (row.counts, row.at_least) == (Counts(input=130, output=20, cache_read=400), True)


def test_a_session_that_is_taken_up_counts_only_what_is_new(ask: Ask, model: FakeModel) -> None:
    first = ask("[[say:one]]")
    assert first.end() == 0
    ledger, before = Ledger(), len(model.requests())
    first.rows(ledger)
    second = ask("[[say:two]]", session=first.session)
    assert second.end() == 0
    (row,) = second.rows(Ledger(ledger.session_totals)).values()
    assert row.counts == model.billed_without_writes(since=before)


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


def test_the_credential_that_has_a_shape_is_the_one_it_uses(ask: Ask, env: dict[str, str], model: FakeModel) -> None:
    attempt = ask("[[say:ok]]")
    attempt.until(lambda: bool(model.requests()))
    shape = QWEN.credential(env)
    assert shape is not None
    assert (shape.place, shape.provider) == ("OPENAI_API_KEY", f"openai at {model.base}/v1")
    assert model.requests()[0]["cred"] == sha256(KEY.encode()).hexdigest()[:8]
