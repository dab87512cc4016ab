"""How Copilot CLI is started, and what it would sign in with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Brief, CredentialShape

BRIEF = Brief(
    prompt="plan", attempt_session="11111111-1111-4111-8111-111111111111", usage_file=Path("/private/attempt.usage")
)


class TestInvoke:
    def test_a_fresh_start(self) -> None:
        assert adapter("copilot").invoke(BRIEF).argv == (
            *("copilot", "--output-format", "json", "--no-ask-user", "--no-auto-update", "--allow-tool=write"),
            *("--usage-output-file", "/private/attempt.usage", f"--session-id={BRIEF.attempt_session}"),
        )

    def test_a_session(self) -> None:
        """With --session-id a session that is gone would quietly begin anew (R17)."""
        argv = adapter("copilot").invoke(replace(BRIEF, session="s1")).argv
        assert argv[-1] == "--resume=s1"

    def test_without_a_place_for_it_there_is_no_usage_file(self) -> None:
        assert "--usage-output-file" not in adapter("copilot").invoke(replace(BRIEF, usage_file=None)).argv

    def test_tools_that_the_workflow_allows(self) -> None:
        argv = adapter("copilot").invoke(replace(BRIEF, allow=("shell(git:*)", "url"))).argv
        assert {"--allow-tool=write", "--allow-tool=shell(git:*)", "--allow-tool=url"} < set(argv)

    @pytest.mark.parametrize("args", [("--allow-all-tools",), ("--allow-tool=shell",), ("--allow-tool", "shell")])
    def test_permissions_of_the_persons_own_go_before_ours(self, args: tuple[str, ...]) -> None:
        assert "--allow-tool=write" not in adapter("copilot").invoke(replace(BRIEF, args=args)).argv


def shape(env: dict[str, str]) -> CredentialShape | None:
    return adapter("copilot").credential(env)


class TestCredential:
    def test_the_first_of_its_own_order(self) -> None:
        env = {name: f"secret {name}" for name in ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN")}
        for name in list(env):
            found = shape(env)
            assert found is not None
            assert (found.provider, found.place) == ("github", name)
            assert "secret" not in repr(found) + found.key
            del env[name]
        assert shape(env) is None

    def test_a_provider_of_the_persons_own(self) -> None:
        env = {"COPILOT_PROVIDER_BASE_URL": "https://acme.example", "COPILOT_PROVIDER_API_KEY": "k", "GH_TOKEN": "g"}
        key, token = shape(env), shape({**env, "COPILOT_PROVIDER_BEARER_TOKEN": "t"})
        assert key is not None
        assert token is not None
        assert (key.provider, key.place) == ("https://acme.example", "COPILOT_PROVIDER_API_KEY")
        assert token.place == "COPILOT_PROVIDER_BEARER_TOKEN"
        assert shape({**env, "COPILOT_PROVIDER_API_KEY_COMMAND": "get-key"}) is None

    def test_another_github(self) -> None:
        found = shape({"GH_TOKEN": "g", "GH_HOST": "acme.ghe.com"})
        assert found is not None
        assert found.provider == "github at acme.ghe.com"
