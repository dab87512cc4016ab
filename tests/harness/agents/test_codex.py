"""How Codex is started, and what it would sign in with."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Brief, CredentialShape

BRIEF = Brief(prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111")
OURS = 'sandbox_mode="workspace-write"'


class TestInvoke:
    def test_a_fresh_start(self) -> None:
        assert adapter("codex").invoke(BRIEF).argv == (
            *("codex", "exec", "--json", "--skip-git-repo-check", "-c", OURS),
            "-",
        )

    def test_a_session(self) -> None:
        argv = adapter("codex").invoke(replace(BRIEF, session="s1", model="gpt-5.5")).argv
        assert argv[-5:] == ("--model", "gpt-5.5", "resume", "s1", "-")

    @pytest.mark.parametrize(
        "args",
        [
            ("-s", "read-only"),
            ("--sandbox=read-only",),
            ("-c", 'sandbox_mode="read-only"'),
            ("--profile", "careful"),
            ("--dangerously-bypass-approvals-and-sandbox",),
        ],
    )
    def test_a_sandbox_of_the_persons_own_goes_before_ours(self, args: tuple[str, ...]) -> None:
        assert OURS not in adapter("codex").invoke(replace(BRIEF, args=args)).argv
        assert OURS in adapter("codex").invoke(replace(BRIEF, args=("-c", "model_verbosity=low"))).argv


def shape(env: dict[str, str]) -> CredentialShape | None:
    return adapter("codex").credential(env)


class TestCredential:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / ".codex").mkdir()
        return tmp_path / ".codex"

    @pytest.fixture
    def env(self, folder: Path) -> dict[str, str]:
        return {"HOME": str(folder.parent)}

    def test_a_key_for_this_goes_before_what_a_login_saved(self, env: dict[str, str], folder: Path) -> None:
        (folder / "auth.json").write_text('{"tokens": {"id_token": "t"}}')
        named, saved = shape({**env, "CODEX_API_KEY": "k"}), shape({**env, "OPENAI_API_KEY": "k"})
        assert named is not None
        assert saved is not None
        assert (named.place, named.method) == ("CODEX_API_KEY", "api key")
        assert (saved.place, saved.method) == (str(folder / "auth.json"), "login")

    def test_a_saved_key(self, env: dict[str, str], folder: Path) -> None:
        (folder / "auth.json").write_text('{"OPENAI_API_KEY": "sk-secret"}')
        found = shape(env)
        assert found is not None
        assert found.method == "saved api key"
        assert "sk-secret" not in repr(found) + found.key

    def test_a_login_saved_again_is_another_credential(self, env: dict[str, str], folder: Path) -> None:
        path = folder / "auth.json"
        path.write_text("{}")
        os.utime(path, ns=(1, 1))
        first = shape(env)
        os.utime(path, ns=(2, 2))
        assert shape(env) != first

    @pytest.mark.skipif(os.uname().sysname == "Darwin", reason="on macOS the login may lie in the keychain")
    def test_signing_in_is_a_change_too(self, env: dict[str, str], folder: Path) -> None:
        before = shape(env)
        assert before is not None
        assert before.method == "not signed in"
        (folder / "auth.json").write_text("{}")
        assert shape(env) != before

    def test_another_folder_of_its_own(self, env: dict[str, str], tmp_path: Path) -> None:
        (tmp_path / "auth.json").write_text("{}")
        found = shape({**env, "CODEX_HOME": str(tmp_path)})
        assert found is not None
        assert found.place == str(tmp_path / "auth.json")

    def test_a_provider_of_the_persons_own(self, env: dict[str, str], folder: Path) -> None:
        (folder / "config.toml").write_text(
            'model_provider = "acme"\n[model_providers.acme]\nbase_url = "https://acme.example/v1"\nenv_key = "ACME"\n'
        )
        found = shape({**env, "ACME": "k", "CODEX_API_KEY": "other"})
        assert found is not None
        assert (found.provider, found.place) == ("acme at https://acme.example/v1", "ACME")
        missing = shape(env)
        assert missing is not None
        assert (missing.method, missing.place) == ("not signed in", "ACME")

    @pytest.mark.parametrize(
        "settings",
        ["[broken", 'model_provider = "acme"', "model_provider = 5", 'cli_auth_credentials_store = "keyring"'],
    )
    def test_what_has_no_shape(self, env: dict[str, str], folder: Path, settings: str) -> None:
        (folder / "config.toml").write_text(settings)
        assert shape({**env, "CODEX_API_KEY": "k"}) is None

    def test_a_login_that_cannot_be_read_has_none(self, env: dict[str, str], folder: Path) -> None:
        (folder / "auth.json").write_text("[1]")
        assert shape(env) is None
