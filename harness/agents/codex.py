"""Codex: how it is started, and what it signs in with. Checked on 0.171.0."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from signal import SIGTERM
from typing import Any

from harness.agents.base import (
    NOTHING_BESIDE,
    Beside,
    Brief,
    CredentialShape,
    Invocation,
    Reader,
    credential_in,
    fingerprint,
)
from harness.agents.codex_stream import CodexStream
from harness.agents.options import says

_SANDBOX = ("-s", "--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--approve-for-me", "-p", "--profile")


class Codex:
    """The adapter for Codex.

    It works in its own sandbox, which lets it write in the folder that it was started in. Without a word about it its
    sandbox only reads, and every write fails with exit 0. `brief.args` that name a sandbox or a profile go before ours.
    """

    name = "codex"
    program = "codex"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = False
    resumes = True
    polite = SIGTERM
    patience = 60.0
    version = ("--version",)
    tested = "0.171.0"
    limits = (
        "Codex tells tokens only when a turn is completed: those of one that failed or was cut off stay unknown.",
        "What Codex has saved of such a turn is counted with the attempt that takes its session up.",
        "Codex names no model and no cost, and tells cache writes only where its provider does.",
        "A turn of Codex is a whole prompt, so `max_turns` does not bound its model requests.",
        "`allow` means nothing to Codex: its sandbox decides, and what that refuses is told to the model alone.",
        "A sign-in that Codex keeps in the system's keyring has no shape that midwatch can tell from another.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; a session by its exact id (R17). `brief.args` stand before the subcommand."""
        argv = [brief.program or self.program, *brief.args, "exec", "--json", "--skip-git-repo-check"]
        if not says(brief.args, *_SANDBOX) and not any("sandbox_mode" in one for one in brief.args):
            argv += ["-c", 'sandbox_mode="workspace-write"']
        if brief.model is not None:
            argv += ["--model", brief.model]
        argv += ["-"] if brief.session is None else ["resume", brief.session, "-"]
        return Invocation(argv=tuple(argv), stdin=brief.prompt, session=brief.session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its events."""
        return CodexStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """What it would sign in with at the provider that its settings name (tried on 0.171.0).

        OpenAI's own provider takes `CODEX_API_KEY` first, then what was saved by a login; it does not look at
        `OPENAI_API_KEY`. Another provider takes the variable that its settings name. Profiles are not looked at.
        """
        folder = _folder(env)
        if folder is None:
            return None
        settings = _settings(folder / "config.toml")
        if settings is None or settings.get("cli_auth_credentials_store") == "keyring":
            return None
        provider = settings.get("model_provider", "openai")
        if provider != "openai":
            return _of_provider(env, settings, provider)
        where = settings.get("openai_base_url")
        name = f"openai at {where}" if isinstance(where, str) else "openai"
        return credential_in(env, "CODEX_API_KEY", provider=name, method="api key") or _signed_in(
            folder / "auth.json", name
        )


def _folder(env: Mapping[str, str]) -> Path | None:
    if env.get("CODEX_HOME"):
        return Path(env["CODEX_HOME"])
    return Path(env["HOME"]) / ".codex" if env.get("HOME") else None


def _settings(path: Path) -> dict[str, Any] | None:
    """Its settings, empty when there are none; `None` when they cannot be read."""
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        return None


def _of_provider(env: Mapping[str, str], settings: dict[str, Any], provider: object) -> CredentialShape | None:
    providers = settings.get("model_providers")
    one = providers.get(provider) if isinstance(providers, dict) and isinstance(provider, str) else None
    variable = one.get("env_key") if isinstance(one, dict) else None
    if not isinstance(one, dict) or not isinstance(variable, str):
        return None
    name = f"{provider} at {one.get('base_url')}"
    absent = CredentialShape(provider=name, method="not signed in", place=variable, fingerprint="none")
    return credential_in(env, variable, provider=name, method="api key") or absent


def _signed_in(path: Path, provider: str) -> CredentialShape | None:
    try:
        saved, content = path.stat().st_mtime_ns, path.read_bytes()
        method = "login" if json.loads(content).get("tokens") else "saved api key"
    except FileNotFoundError:
        if sys.platform == "darwin":  # it may lie in the keychain
            return None
        return CredentialShape(provider=provider, method="not signed in", place=str(path), fingerprint="none")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return CredentialShape(
        provider=provider, method=method, place=str(path), fingerprint=fingerprint(content, str(saved))
    )
