"""The adapter of Codex with the real Codex: what it starts, what it reads, what it counts."""

from __future__ import annotations

import uuid
from hashlib import sha256
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.ledger import Ledger
from harness.reports import ErrorKind, Failure, File, Tool
from store.model import Counts
from tests.real.attempt import Ask, asking, printed_version
from tests.real.model import FakeModel
from tests.real.npm import installed

CODEX = adapter("codex")
KEY = "sk-test-not-a-key"
SETTINGS = """
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "{base}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
"""
TRY_ONCE = (
    *("-c", "model_providers.fake.stream_max_retries=1"),
    *("-c", "model_providers.fake.request_max_retries=0"),
)


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("@openai/codex", CODEX.tested, "@openai/codex-*/vendor/*/bin/codex")


@pytest.fixture
def env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    folder = Path(terminal["HOME"]) / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(SETTINGS.format(base=model.base))
    return {**terminal, "FAKE_KEY": KEY}


@pytest.fixture
def ask(start: Ask, program: Path, env: dict[str, str]) -> Ask:
    return asking(start, CODEX, program, env)


def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(CODEX, program, terminal) == CODEX.tested


def test_success_with_a_tool_call(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:all done]]")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.text) == (True, "all done")
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert Tool(name="command_execution", detail="/bin/bash -lc 'echo hi > made.txt'") in attempt.reports()
    assert attempt.row.counts == model.billed_without_writes()
    assert not attempt.row.at_least


def test_a_written_file_is_named(ask: Ask, tmp_path: Path) -> None:
    attempt = ask("[[tool:write made.txt hello]] [[say:written]]")
    assert attempt.end() == 0
    assert File(path=str(tmp_path / "project/made.txt")) in attempt.reports()


def test_a_large_prompt_comes_whole_from_a_file(ask: Ask) -> None:
    attempt = ask("x " * 200_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_it_cannot_write_outside_its_folder(ask: Ask, env: dict[str, str]) -> None:
    without_temporary = (
        *("-c", "sandbox_workspace_write.exclude_slash_tmp=true"),
        *("-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"),
    )
    attempt = ask(f"[[tool:bash echo hi > {env['HOME']}/made.txt]] [[say:tried]]", args=without_temporary)
    assert attempt.end() == 0
    assert attempt.result.ok
    assert not (Path(env["HOME"]) / "made.txt").exists()


@pytest.mark.parametrize("args", [("-s", "read-only"), ("-c", 'sandbox_mode="read-only"')])
def test_a_sandbox_of_the_persons_own_goes_before_ours(ask: Ask, tmp_path: Path, args: tuple[str, ...]) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:tried]]", args=args)
    assert attempt.end() == 0
    assert not (tmp_path / "project/made.txt").exists()


def test_a_refused_sign_in(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:401]]", args=TRY_ONCE)
    assert attempt.end() == 1
    assert not attempt.result.ok
    assert set(attempt.failures) == {(ErrorKind.AUTH, True), (ErrorKind.AUTH, False)}
    assert model.statuses() == [401, 401]
    assert attempt.row.counts == Counts()


def test_no_sign_in_at_all(ask: Ask, model: FakeModel, env: dict[str, str]) -> None:
    attempt = ask("[[say:never]]", env={name: value for name, value in env.items() if name != "FAKE_KEY"})
    assert attempt.end() == 1
    assert attempt.failures[-1] == (ErrorKind.AUTH, False)
    assert model.requests() == []


def test_an_answer_about_a_refused_sign_in_is_no_refused_sign_in(ask: Ask) -> None:
    attempt = ask("[[say:unexpected status 401 Unauthorized: Incorrect API key provided]]")
    assert attempt.end() == 0
    assert attempt.result.ok
    assert attempt.failures == []


def test_a_rate_limit(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429]]")
    assert attempt.end() == 1
    assert attempt.failures[-1] == (ErrorKind.RATE_LIMIT, False)
    assert model.statuses() == [429]


def test_overload(ask: Ask) -> None:
    attempt = ask("[[status:529]]", args=TRY_ONCE)
    assert attempt.end() == 1
    assert attempt.failures[-1] == (ErrorKind.OVERLOADED, False)


def test_overload_that_passes(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:529x1]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert attempt.row.counts == model.billed_without_writes()


def test_a_usage_limit_and_when_it_is_lifted(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[status:429:usage_limit_reached]]")
    assert attempt.end() == 1
    assert attempt.failures[-1] == (ErrorKind.USAGE_LIMIT, False)
    assert [report for report in attempt.reports() if isinstance(report, Failure)][-1].resets_at
    assert model.statuses() == [429]


def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Ask, model: FakeModel) -> None:
    """Nothing counts twice; what the first attempt had used is counted where Codex tells it (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]")
    first.until(lambda: len(model.requests()) == 2)
    first.kill()
    assert first.row.counts == Counts()
    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert (second.session, second.result.text) == (first.session, "went on")
    assert model.requests()[2]["messages"] > model.requests()[1]["messages"], "the history was not there"
    least, most = model.billed_without_writes(since=2), model.billed_without_writes()
    assert (least.input or 0) <= (second.row.counts.input or 0) <= (most.input or 0)


def test_a_session_that_is_taken_up_counts_only_what_is_new(ask: Ask, model: FakeModel) -> None:
    first = ask("[[tool:bash echo one]] [[say:one]]")
    assert first.end() == 0
    ledger = Ledger()
    first.rows(ledger)
    second = ask("[[say:two]]", session=first.session)
    assert second.end() == 0
    (row,) = second.rows(Ledger(ledger.session_totals)).values()
    assert row.counts == model.billed_without_writes(since=2)


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Ask, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


@pytest.mark.parametrize("first", range(2))
def test_the_credential_that_has_a_shape_is_the_one_it_uses(
    ask: Ask, env: dict[str, str], model: FakeModel, first: int
) -> None:
    folder = Path(env["HOME"]) / ".codex"
    plain = SETTINGS.format(base=model.base).split("[model_providers.fake]")[0].replace('model_provider = "fake"', "")
    (folder / "config.toml").write_text(f'openai_base_url = "{model.base}/v1"\n{plain}')
    (folder / "auth.json").write_text('{"OPENAI_API_KEY": "saved"}')
    secrets = {"CODEX_API_KEY": "named", str(folder / "auth.json"): "saved"}
    there = {**env, "OPENAI_API_KEY": "passed over", **({"CODEX_API_KEY": "named"} if first == 0 else {})}
    attempt = ask("[[say:ok]]", env=there)
    attempt.until(lambda: bool(model.requests()))
    shape = CODEX.credential(there)
    assert shape is not None
    assert model.requests()[0]["cred"] == sha256(secrets[shape.place].encode()).hexdigest()[:8]


def test_the_credential_of_another_provider(env: dict[str, str], model: FakeModel) -> None:
    shape = CODEX.credential(env)
    assert shape is not None
    assert (shape.provider, shape.place) == (f"fake at {model.base}/v1", "FAKE_KEY")
