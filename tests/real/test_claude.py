"""The adapter of Claude Code with the real Claude Code: what it starts, what it reads, what it counts."""

from __future__ import annotations

import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, Signals
from typing import Any

import pytest

from harness.agents import adapter
from harness.agents.base import Brief
from harness.reports import ErrorKind, Failure, File, Text, Tool, Turn
from store.model import Reason
from tests.real.attempt import Attempt
from tests.real.model import FakeModel

CLAUDE = adapter("claude")
ALLOW_BASH = ("--allowedTools", "Bash")

Start = Callable[..., Attempt]


@pytest.fixture
def ask(start: Start, claude_program: Path, claude_env: dict[str, str]) -> Start:
    """Begins an attempt with this prompt."""

    def ask(prompt: str, *, env: dict[str, str] | None = None, **more: Any) -> Attempt:
        brief = Brief(prompt=prompt, attempt_session=str(uuid.uuid4()), program=str(claude_program), **more)
        terminal = claude_env if env is None else env
        return start(CLAUDE, replace(brief, env=terminal), env=terminal)

    return ask


def failures(attempt: Attempt) -> list[tuple[ErrorKind, bool]]:
    return [(report.kind, report.retrying) for report in attempt.reports() if isinstance(report, Failure)]


def turns(attempt: Attempt) -> int:
    return sum(isinstance(report, Turn) for report in attempt.reports())


def test_it_is_the_version_that_the_reader_is_tested_on(claude_program: Path, terminal: dict[str, str]) -> None:
    printed = subprocess.run(
        [claude_program, *CLAUDE.version], capture_output=True, text=True, env=terminal, timeout=60, check=True
    )
    assert printed.stdout.split()[0] == CLAUDE.tested


def test_success_with_a_tool_call(ask: Start, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("[[tool:bash echo hi > made.txt]] [[say:all done]]", args=ALLOW_BASH)
    assert attempt.end() == 0
    assert attempt.result.ok
    assert attempt.result.text == "all done"
    assert attempt.session == attempt.invocation.session
    assert (tmp_path / "project/made.txt").read_text() == "hi\n"
    assert turns(attempt) == 2
    assert Tool(name="Bash", detail="echo hi > made.txt") in attempt.reports()
    assert replace(attempt.row.counts, cost=None) == model.billed()
    assert attempt.row.counts.cost is not None
    assert not attempt.row.at_least


def test_a_written_file_is_named(ask: Start) -> None:
    attempt = ask("[[tool:write made.txt hello]] [[say:written]]")
    assert attempt.end() == 0
    assert File(path="made.txt") in attempt.reports()


def test_a_large_prompt_comes_whole_from_a_file(ask: Start, model: FakeModel) -> None:
    attempt = ask("x " * 200_000 + "[[say:read it all]]")
    assert attempt.end() == 0
    assert attempt.result.text == "read it all"


def test_a_tool_that_nobody_allows_is_denied_and_said(ask: Start, tmp_path: Path) -> None:
    attempt = ask("""[[tool:bash python3 -c 'open("made.txt", "w")']] [[say:tried]]""")
    assert attempt.end() == 0
    assert (attempt.result.ok, attempt.result.denied) == (True, ("Bash",))
    assert not (tmp_path / "project/made.txt").exists()


def test_its_own_limit_of_turns(ask: Start, model: FakeModel) -> None:
    attempt = ask("[[tool:bash echo a]] [[tool:bash echo b]] [[say:never]]", args=ALLOW_BASH, max_turns=2)
    assert attempt.end() == 1
    assert (attempt.result.ok, attempt.result.limit) == (False, Reason.TURNS)
    assert turns(attempt) == 2
    assert replace(attempt.row.counts, cost=None) == model.billed()


def test_a_refused_sign_in(ask: Start, model: FakeModel, claude_env: dict[str, str]) -> None:
    attempt = ask("[[status:401]]", env={**claude_env, "CLAUDE_CODE_MAX_RETRIES": "1"})
    assert attempt.end() == 1
    assert failures(attempt) == [(ErrorKind.AUTH, True), (ErrorKind.AUTH, True), (ErrorKind.AUTH, False)]
    assert not attempt.result.ok
    assert [one["status"] for one in model.requests()] == [401, 401]
    assert replace(attempt.row.counts, cost=None) == model.billed()
    assert attempt.row.counts.cost == 0


def test_an_answer_about_a_refused_sign_in_is_no_refused_sign_in(ask: Start) -> None:
    attempt = ask('[[say:Invalid API key. {"error": "authentication_failed", "api_error_status": 401}]]')
    assert attempt.end() == 0
    assert attempt.result.ok
    assert failures(attempt) == []


def test_overload_that_passes(ask: Start, model: FakeModel) -> None:
    attempt = ask("[[status:529x2]] [[say:fine]]")
    assert attempt.end() == 0
    assert attempt.result.text == "fine"
    assert failures(attempt) == [(ErrorKind.OVERLOADED, True)] * 2
    assert [one["status"] for one in model.requests()] == [529, 529, 200]
    assert replace(attempt.row.counts, cost=None) == model.billed()


def test_a_usage_limit_and_when_it_is_lifted(ask: Start, claude_env: dict[str, str], model: FakeModel) -> None:
    reset = int(time.time()) + 3600
    headers = {"status": "rejected", "reset": reset, "representative-claim": "five_hour", "overage-status": "rejected"}
    prompt = "".join(f"[[header:anthropic-ratelimit-unified-{name} {value}]]" for name, value in headers.items())
    env = {**claude_env, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-not-a-token", "CLAUDE_CODE_MAX_RETRIES": "1"}
    del env["ANTHROPIC_API_KEY"]
    attempt = ask(f"{prompt}[[status:429]]", env=env)
    assert attempt.end() == 1
    assert set(failures(attempt)) == {(ErrorKind.USAGE_LIMIT, True), (ErrorKind.USAGE_LIMIT, False)}
    lifted = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(reset))
    assert {report.resets_at for report in attempt.reports() if isinstance(report, Failure)} == {lifted}
    assert len(model.requests()) == 1


@pytest.mark.parametrize("number", [SIGKILL, SIGTERM])
def test_killed_in_mid_turn_and_taken_up_by_its_exact_id(ask: Start, model: FakeModel, number: Signals) -> None:
    """What the first attempt is known to have used stays counted, and the second counts only itself (U4)."""
    first = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", args=ALLOW_BASH)
    first.until(lambda: len(model.requests()) == 2)
    known = model.requests()[0]["usage"]
    assert first.signal(number) in (-number, 128 + number)
    assert not any(isinstance(report, Text) for report in first.reports())
    assert (first.row.counts.input, first.row.counts.cache_write, first.row.counts.cache_read) == (
        known[0],
        known[2],
        known[3],
    )
    assert (first.row.counts.output, first.row.counts.cost, first.row.at_least) == (None, None, True)

    second = ask("[[say:went on]]", session=first.session)
    assert second.end() == 0
    assert second.session == first.session == first.invocation.session
    assert second.result.text == "went on"
    assert model.requests()[2]["messages"] > model.requests()[1]["messages"], "the history was not there"
    assert replace(second.row.counts, cost=None) == model.billed(since=2)
    assert not second.row.at_least


def test_the_polite_signal_lets_it_say_what_it_has_used(ask: Start, model: FakeModel) -> None:
    assert CLAUDE.polite is SIGINT
    attempt = ask("[[tool:bash echo one]] [[stall:60]] [[say:never]]", args=ALLOW_BASH)
    attempt.until(lambda: len(model.requests()) == 2)
    assert attempt.signal(CLAUDE.polite) == 0
    assert not attempt.result.ok
    assert attempt.row.at_least
    assert attempt.row.counts.input == model.billed().input
    assert attempt.row.counts.cost is not None


def test_a_session_that_is_gone_is_told_and_costs_nothing(ask: Start, model: FakeModel) -> None:
    attempt = ask("[[say:never]]", session=str(uuid.uuid4()))
    assert attempt.end() == 1
    assert attempt.result.session_gone
    assert model.requests() == []
    assert attempt.row.counts.cost == 0


def test_a_model_without_a_price_has_no_known_cost(ask: Start, model: FakeModel) -> None:
    attempt = ask("[[say:ok]]", model="fake-model")
    assert attempt.end() == 0
    assert attempt.row.model == "fake-model"
    assert attempt.row.counts == model.billed()


SUBAGENT = [
    {
        "match": "^MAIN",
        "steps": [
            {"tool": "Agent", "args": {"description": "d", "prompt": "SUB go", "subagent_type": "general-purpose"}},
            {"say": "main done"},
        ],
    },
    {"match": "^SUB", "steps": [{"tool": "bash", "arg": "echo sub"}, {"say": "sub done"}]},
]


@pytest.mark.parametrize("scenario", [SUBAGENT])
def test_a_sub_agents_tokens_count_once(ask: Start, model: FakeModel) -> None:
    attempt = ask("MAIN task", args=("--allowedTools", "Bash,Agent"))
    assert attempt.end() == 0
    assert attempt.result.text == "main done"
    assert len(model.requests()) >= 4
    assert replace(attempt.row.counts, cost=None) == model.billed()
    assert not attempt.row.at_least
    assert Text(text="sub done") not in attempt.reports()


@pytest.mark.parametrize("first", range(4))
def test_the_credential_that_has_a_shape_is_the_one_it_uses(
    ask: Start, claude_env: dict[str, str], model: FakeModel, first: int
) -> None:
    names = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")
    secrets = {name: f"sk-ant-oat01-{name.lower()}" for name in names}
    login = Path(claude_env["HOME"]) / ".claude/.credentials.json"
    login.parent.mkdir()
    until = int(time.time() * 1000) + 10 * 3_600_000
    login.write_text(f'{{"claudeAiOauth":{{"accessToken":"login","expiresAt":{until},"scopes":["user:inference"]}}}}')
    env = {**claude_env, **secrets}
    for name in names[:first]:
        del env[name]
    attempt = ask("[[say:ok]]", env=env)
    assert attempt.end() == 0
    shape = CLAUDE.credential(env)
    assert shape is not None
    used = {**secrets, str(login): "login"}[shape.place]
    assert model.requests()[0]["cred"] == sha256(used.encode()).hexdigest()[:8]
