"""How Gemini CLI is started, and what it would sign in with."""

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
        assert adapter("gemini").invoke(BRIEF).argv == (
            *("gemini", "--output-format", "stream-json", "--approval-mode", "auto_edit"),
            *("--session-id", BRIEF.attempt_session),
        )

    def test_a_session(self) -> None:
        argv = adapter("gemini").invoke(replace(BRIEF, session="s1", model="flash")).argv
        assert argv[-4:] == ("--model", "flash", "--resume", "s1")

    def test_tools_that_the_workflow_allows(self) -> None:
        argv = adapter("gemini").invoke(replace(BRIEF, allow=("run_shell_command", "web_fetch"))).argv
        assert "--allowed-tools=run_shell_command,web_fetch" in argv

    @pytest.mark.parametrize("args", [("--approval-mode", "plan"), ("--approval-mode=yolo",), ("-y",), ("--yolo",)])
    def test_an_approval_mode_of_the_persons_own_goes_before_ours(self, args: tuple[str, ...]) -> None:
        assert "auto_edit" not in adapter("gemini").invoke(replace(BRIEF, args=args)).argv

    def test_it_is_one_process_unless_the_terminal_says_otherwise(self) -> None:
        assert dict(adapter("gemini").invoke(BRIEF).env) == {"GEMINI_CLI_NO_RELAUNCH": "true"}
        assert not adapter("gemini").invoke(replace(BRIEF, env={"GEMINI_CLI_NO_RELAUNCH": ""})).env


def shape(env: dict[str, str]) -> CredentialShape | None:
    return adapter("gemini").credential(env)


class TestCredential:
    @pytest.fixture
    def env(self, tmp_path: Path) -> dict[str, str]:
        (tmp_path / ".gemini").mkdir()
        return {"HOME": str(tmp_path)}

    @pytest.fixture
    def folder(self, env: dict[str, str]) -> Path:
        return Path(env["HOME"]) / ".gemini"

    @staticmethod
    def select(folder: Path, kind: object) -> None:
        (folder / "settings.json").write_text(json.dumps({"security": {"auth": {"selectedType": kind}}}))

    def test_a_key(self, env: dict[str, str], folder: Path) -> None:
        without = shape({**env, "GEMINI_API_KEY": "sk-secret"})
        self.select(folder, "gemini-api-key")
        chosen = shape({**env, "GEMINI_API_KEY": "sk-secret"})
        assert chosen is not None
        assert chosen == without
        assert (chosen.provider, chosen.place) == ("google", "GEMINI_API_KEY")
        assert "sk-secret" not in repr(chosen) + chosen.key
        elsewhere = shape({**env, "GEMINI_API_KEY": "sk-secret", "GOOGLE_GEMINI_BASE_URL": "https://g.example"})
        assert elsewhere is not None
        assert elsewhere.provider == "google at https://g.example"

    def test_a_login(self, env: dict[str, str], folder: Path) -> None:
        self.select(folder, "oauth-personal")
        assert shape({**env, "GEMINI_API_KEY": "k"}) is None
        (folder / "oauth_creds.json").write_text("{}")
        found = shape({**env, "GEMINI_API_KEY": "k"})
        assert found is not None
        assert (found.method, found.place) == ("login", str(folder / "oauth_creds.json"))

    def test_what_has_no_shape(self, env: dict[str, str], folder: Path) -> None:
        assert shape(env) is None
        assert shape({**env, "GEMINI_API_KEY": "k", "GOOGLE_GENAI_USE_VERTEXAI": "true"}) is None
        for kind in ("vertex-ai", 5, []):
            self.select(folder, kind)
            assert shape({**env, "GEMINI_API_KEY": "k"}) is None
        (folder / "settings.json").write_text("{ // a comment")
        assert shape({**env, "GEMINI_API_KEY": "k"}) is None
