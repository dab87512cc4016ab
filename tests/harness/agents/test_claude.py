"""How Claude Code is started, and what it would sign in with."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Brief, CredentialShape

BRIEF = Brief(prompt="secret plan", attempt_session="11111111-1111-4111-8111-111111111111")


def after(argv: tuple[str, ...], option: str) -> str:
    return argv[argv.index(option) + 1]


class TestInvoke:
    def test_a_fresh_start_gets_the_id_we_chose(self) -> None:
        invocation = adapter("claude").invoke(BRIEF)
        assert invocation.argv[:5] == ("claude", "-p", "--output-format", "stream-json", "--verbose")
        assert after(invocation.argv, "--session-id") == invocation.session == BRIEF.attempt_session
        assert "--resume" not in invocation.argv

    def test_a_session_is_taken_up_by_its_exact_id(self) -> None:
        invocation = adapter("claude").invoke(replace(BRIEF, session="s1"))
        assert after(invocation.argv, "--resume") == invocation.session == "s1"
        assert "--session-id" not in invocation.argv

    def test_the_prompt_is_on_standard_input_and_nowhere_else(self) -> None:
        invocation = adapter("claude").invoke(BRIEF)
        assert invocation.stdin == "secret plan"
        assert not any("secret" in word for word in invocation.argv)

    def test_model_and_turns(self) -> None:
        argv = adapter("claude").invoke(replace(BRIEF, model="sonnet", max_turns=7)).argv
        assert (after(argv, "--model"), after(argv, "--max-turns")) == ("sonnet", "7")
        plain = adapter("claude").invoke(BRIEF).argv
        assert not {"--model", "--max-turns"} & set(plain)

    @pytest.mark.parametrize(
        "args", [("--permission-mode", "plan"), ("--permission-mode=plan",), ("--dangerously-skip-permissions",)]
    )
    def test_permissions_of_the_persons_own_go_before_ours(self, args: tuple[str, ...]) -> None:
        argv = adapter("claude").invoke(replace(BRIEF, args=args)).argv
        assert "acceptEdits" not in argv
        assert argv[1 : 1 + len(args)] == args
        assert after(adapter("claude").invoke(BRIEF).argv, "--permission-mode") == "acceptEdits"

    def test_another_program(self) -> None:
        assert adapter("claude").invoke(replace(BRIEF, program="/opt/claude")).argv[0] == "/opt/claude"

    def test_retries_are_bounded_unless_the_terminal_says_otherwise(self) -> None:
        assert dict(adapter("claude").invoke(BRIEF).env) == {"CLAUDE_CODE_MAX_RETRIES": "7"}
        assert not adapter("claude").invoke(replace(BRIEF, env={"CLAUDE_CODE_MAX_RETRIES": "2"})).env


def shape(env: dict[str, str]) -> CredentialShape | None:
    return adapter("claude").credential(env)


class TestCredential:
    ORDER = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        (tmp_path / ".claude").mkdir()
        return tmp_path

    def test_the_first_of_its_own_order(self, home: Path) -> None:
        (home / ".claude/.credentials.json").write_text("{}")
        env = {"HOME": str(home), **{name: f"secret {name}" for name in self.ORDER}}
        for name in self.ORDER:
            found = shape(env)
            assert found is not None
            assert found.place == name
            del env[name]
        found = shape(env)
        assert found is not None
        assert (found.method, found.place) == ("login", str(home / ".claude/.credentials.json"))

    def test_no_secret_is_in_it(self, home: Path) -> None:
        found = shape({"HOME": str(home), "ANTHROPIC_API_KEY": "sk-secret"})
        assert found is not None
        assert "sk-secret" not in repr(found) + found.key

    def test_a_changed_key_is_another_credential(self, home: Path) -> None:
        keys = {shape({"HOME": str(home), "ANTHROPIC_API_KEY": key}) for key in ("one", "two", "one")}
        assert len(keys) == 2

    def test_a_login_saved_again_is_another_credential(self, home: Path) -> None:
        path = home / ".claude/.credentials.json"
        path.write_text("{}")
        os.utime(path, ns=(1, 1))
        first = shape({"HOME": str(home)})
        os.utime(path, ns=(2, 2))
        assert shape({"HOME": str(home)}) != first

    @pytest.mark.skipif(os.uname().sysname == "Darwin", reason="on macOS the login lies in the keychain")
    def test_signing_in_is_a_change_too(self, home: Path) -> None:
        before = shape({"HOME": str(home)})
        assert before is not None
        assert before.method == "not signed in"
        (home / ".claude/.credentials.json").write_text("{}")
        assert shape({"HOME": str(home)}) != before

    def test_another_folder_of_its_own(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere/.credentials.json").write_text("{}")
        found = shape({"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
        assert found is not None
        assert found.place.startswith(str(tmp_path / "elsewhere"))

    def test_the_same_key_for_another_server_is_another_credential(self, home: Path) -> None:
        env = {"HOME": str(home), "ANTHROPIC_API_KEY": "one"}
        there = shape({**env, "ANTHROPIC_BASE_URL": "https://user:word@gateway.example:8443/v1"})
        here = shape(env)
        assert there is not None
        assert here is not None
        assert (here.provider, there.provider) == ("anthropic", "anthropic at gateway.example:8443")
        assert shape({**env, "ANTHROPIC_BASE_URL": "https://[broken"}) is not None

    def test_what_has_no_shape(self, home: Path) -> None:
        assert shape({"HOME": str(home), "CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "k"}) is None
        assert shape({}) is None
        (home / ".claude/settings.json").write_text('{"apiKeyHelper": "get-key"}')
        assert shape({"HOME": str(home), "ANTHROPIC_API_KEY": "k"}) is None

    @pytest.mark.parametrize("settings", ["[]", "{", '{"apiKeyHelper": ""}'])
    def test_settings_that_name_no_helper(self, home: Path, settings: str) -> None:
        (home / ".claude/settings.json").write_text(settings)
        assert shape({"HOME": str(home), "ANTHROPIC_API_KEY": "k"}) is not None
