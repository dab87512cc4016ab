"""How Qwen Code is started, and what it would sign in with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Brief, CredentialShape

BRIEF = Brief(prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111")


class TestInvoke:
    def test_a_fresh_start(self) -> None:
        assert adapter("qwen").invoke(BRIEF).argv == (
            *("qwen", "--output-format", "stream-json", "--approval-mode", "auto-edit"),
            *("--session-id", BRIEF.attempt_session),
        )

    def test_a_session(self) -> None:
        argv = adapter("qwen").invoke(replace(BRIEF, session="s1", model="coder")).argv
        assert argv[-4:] == ("--model", "coder", "--resume", "s1")

    def test_tools_that_the_workflow_allows(self) -> None:
        argv = adapter("qwen").invoke(replace(BRIEF, allow=("run_shell_command", "web_fetch"))).argv
        assert "--allowed-tools=run_shell_command,web_fetch" in argv

    @pytest.mark.parametrize("args", [("--approval-mode", "plan"), ("--approval-mode=yolo",), ("-y",), ("--yolo",)])
    def test_an_approval_mode_of_the_persons_own_goes_before_ours(self, args: tuple[str, ...]) -> None:
        assert "auto-edit" not in adapter("qwen").invoke(replace(BRIEF, args=args)).argv

    def test_it_is_one_process_unless_the_terminal_says_otherwise(self) -> None:
        assert dict(adapter("qwen").invoke(BRIEF).env) == {"QWEN_CODE_NO_RELAUNCH": "true"}
        assert not adapter("qwen").invoke(replace(BRIEF, env={"QWEN_CODE_NO_RELAUNCH": ""})).env


def shape(env: dict[str, str]) -> CredentialShape | None:
    return adapter("qwen").credential(env)


class TestCredential:
    @pytest.fixture
    def env(self, tmp_path: Path) -> dict[str, str]:
        (tmp_path / ".qwen").mkdir()
        return {"HOME": str(tmp_path)}

    @pytest.fixture
    def folder(self, env: dict[str, str]) -> Path:
        return Path(env["HOME"]) / ".qwen"

    def test_a_key(self, env: dict[str, str]) -> None:
        found = shape({**env, "OPENAI_API_KEY": "sk-secret"})
        assert found is not None
        assert (found.provider, found.place) == ("openai", "OPENAI_API_KEY")
        assert "sk-secret" not in repr(found) + found.key
        elsewhere = shape({**env, "OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "https://q.example/v1"})
        assert elsewhere is not None
        assert elsewhere.provider == "openai at https://q.example/v1"

    def test_a_login(self, env: dict[str, str], folder: Path) -> None:
        (folder / "settings.json").write_text('{"security": {"auth": {"selectedType": "qwen-oauth"}}}')
        assert shape({**env, "OPENAI_API_KEY": "k"}) is None
        (folder / "oauth_creds.json").write_text("{}")
        found = shape({**env, "OPENAI_API_KEY": "k"})
        assert found is not None
        assert (found.method, found.place) == ("login", str(folder / "oauth_creds.json"))

    @pytest.mark.parametrize(
        "settings",
        [
            {"security": {"auth": {"apiKey": "own"}}},
            {"security": {"auth": {"selectedType": "anthropic"}}},
            {"modelProviders": {"openai": [{}]}},
        ],
    )
    def test_what_has_no_shape(self, env: dict[str, str], folder: Path, settings: dict[str, object]) -> None:
        (folder / "settings.json").write_text(json.dumps(settings))
        assert shape({**env, "OPENAI_API_KEY": "k"}) is None

    def test_nothing_set_and_settings_that_cannot_be_read(self, env: dict[str, str], folder: Path) -> None:
        assert shape(env) is None
        (folder / "settings.json").write_text("{ // a comment")
        assert shape({**env, "OPENAI_API_KEY": "k"}) is None
