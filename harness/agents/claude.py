"""Claude Code: how it is started, and what it signs in with. Checked on 2.1.332."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from signal import SIGINT
from urllib.parse import urlsplit

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
from harness.agents.claude_stream import ClaudeStream
from harness.agents.options import says

_MAX_RETRIES = "CLAUDE_CODE_MAX_RETRIES"
_RETRIES = "7"
_PERMISSIONS = ("--permission-mode", "--dangerously-skip-permissions")
_CLOUDS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")


class Claude:
    """The adapter for Claude Code.

    Left alone it asks ten times again when it is refused, for three minutes: a dead credential would look like a hang.
    Seven times take about 70 seconds, which outlasts the one-minute window of a rate limit. A
    `CLAUDE_CODE_MAX_RETRIES` of the terminal's own goes before ours.

    The polite signal is INT: it then prints a result with all it has used (0.1 to 1.6 s). TERM ends it without one.
    """

    name = "claude"
    program = "claude"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = True
    resumes = True
    polite = SIGINT
    patience = 120.0
    version = ("--version",)
    tested = "2.1.332"
    limits = (
        "Claude Code tells output tokens and cost only in its result: those of a killed attempt stay unknown.",
        "Claude Code names no file that a shell command changed.",
        "A tool that needs leave is denied when nobody answers; `allow` in the workflow can give it beforehand.",
        "Sign-in by a cloud account or by an apiKeyHelper has no shape that midwatch can tell from another.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; the session by its exact id, a fresh one by the id we chose (R17).

        `brief.args` stand first, so that `program` may be a wrapper that has arguments of its own.
        """
        argv = [brief.program or self.program, *brief.args, "-p", "--output-format", "stream-json", "--verbose"]
        if not says(brief.args, *_PERMISSIONS):
            argv += ["--permission-mode", "acceptEdits"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.max_turns is not None:
            argv += ["--max-turns", str(brief.max_turns)]
        if brief.allow:
            argv += ["--allowedTools", ",".join(brief.allow)]
        session = brief.session or brief.attempt_session
        argv += ["--session-id" if brief.session is None else "--resume", session]
        env = {} if _MAX_RETRIES in brief.env else {_MAX_RETRIES: _RETRIES}
        return Invocation(argv=tuple(argv), stdin=brief.prompt, env=env, session=session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its stream."""
        return ClaudeStream()

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """The first that it would take, in its own order (tried on 2.1.332).

        Nothing to sign in with is a shape too: it changes as soon as the person signs in. What its own settings put
        into its environment is not looked at.
        """
        if any(env.get(name) for name in _CLOUDS):
            return None
        provider = _provider(env)
        token = credential_in(env, "ANTHROPIC_AUTH_TOKEN", provider=provider, method="token")
        folder = _folder(env)
        if token is not None or folder is None or _has_helper(folder):
            return token
        return (
            credential_in(env, "ANTHROPIC_API_KEY", provider=provider, method="api key")
            or credential_in(env, "CLAUDE_CODE_OAUTH_TOKEN", provider=provider, method="oauth token")
            or _signed_in(folder / ".credentials.json", provider)
        )


def _provider(env: Mapping[str, str]) -> str:
    url = env.get("ANTHROPIC_BASE_URL", "")
    try:
        found = urlsplit(url)
        where = f"{found.hostname}:{found.port}" if found.port else found.hostname
    except ValueError:
        where = fingerprint(url)
    return "anthropic" if not url else f"anthropic at {where}"


def _folder(env: Mapping[str, str]) -> Path | None:
    if env.get("CLAUDE_CONFIG_DIR"):
        return Path(env["CLAUDE_CONFIG_DIR"])
    return Path(env["HOME"]) / ".claude" if env.get("HOME") else None


def _has_helper(folder: Path) -> bool:
    try:
        settings = json.loads((folder / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(settings, dict) and bool(settings.get("apiKeyHelper"))


def _signed_in(path: Path, provider: str) -> CredentialShape | None:
    try:
        saved, content = path.stat().st_mtime_ns, path.read_bytes()
    except OSError:
        if sys.platform == "darwin":  # there it lies in the keychain, which is not ours to open
            return None
        return CredentialShape(provider=provider, method="not signed in", place=str(path), fingerprint="none")
    return CredentialShape(
        provider=provider, method="login", place=str(path), fingerprint=fingerprint(content, str(saved))
    )
