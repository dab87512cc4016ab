"""Gemini CLI: how it is started, and what it signs in with. Checked on 0.61.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from signal import SIGTERM

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
from harness.agents.gemini_stream import GeminiStream
from harness.agents.json_lines import record
from harness.agents.options import says

_NO_RELAUNCH = "GEMINI_CLI_NO_RELAUNCH"
_APPROVAL = ("--approval-mode", "-y", "--yolo")
_ELSEWHERE = ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "CLOUD_SHELL", "GEMINI_CLI_USE_COMPUTE_ADC")


class Gemini:
    """The adapter for Gemini CLI.

    Left alone it starts itself a second time, and the first process passes no signal on. With `GEMINI_CLI_NO_RELAUNCH`
    there is one process, 0.1 GB less, which TERM ends. A value of the terminal's own goes before ours.
    """

    name = "gemini"
    program = "gemini"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = True
    resumes = True
    polite = SIGTERM
    patience = 240.0
    version = ("--version",)
    tested = "0.61.0"
    limits = (
        "Gemini CLI tells tokens only in its result: those of an attempt that was cut off stay unknown.",
        "Gemini CLI names no cost and no cache writes; what its model thought stands only in a total: 'at least'.",
        "Gemini CLI says nothing for up to four minutes while it is refused for a rate limit or overload.",
        "A tool that needs leave is not offered to the model at all; `allow` in the workflow can give it beforehand.",
        "Gemini CLI names no file that a shell command changed.",
        "It works only in a folder that it trusts itself, and finds a session only in the folder it began in.",
        "A sign-in by a cloud account, or with a key that it keeps itself, has no shape that midwatch can tell.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; the session by its exact id, a fresh one by the id we chose (R17)."""
        argv = [brief.program or self.program, *brief.args, "--output-format", "stream-json"]
        if not says(brief.args, *_APPROVAL):
            argv += ["--approval-mode", "auto_edit"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.allow:
            argv.append(f"--allowed-tools={','.join(brief.allow)}")
        session = brief.session or brief.attempt_session
        argv += ["--session-id" if brief.session is None else "--resume", session]
        env = {} if _NO_RELAUNCH in brief.env else {_NO_RELAUNCH: "true"}
        return Invocation(argv=tuple(argv), stdin=brief.prompt, env=env, session=session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its stream."""
        return GeminiStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """The key in `GEMINI_API_KEY`, or the login that it saved, whichever its settings say (tried on 0.61.0)."""
        if not env.get("HOME") or any(env.get(name) for name in _ELSEWHERE):
            return None
        folder = Path(env["HOME"]) / ".gemini"
        kind = _selected(folder / "settings.json")
        where = env.get("GOOGLE_GEMINI_BASE_URL")
        provider = f"google at {where}" if where else "google"
        if kind in (None, "gemini-api-key"):
            return credential_in(env, "GEMINI_API_KEY", provider=provider, method="api key")
        return _login(folder / "oauth_creds.json") if kind == "oauth-personal" else None


def _selected(path: Path) -> object:
    """The way of signing in that its settings name; `None` when they name none."""
    try:
        settings = record(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        return "unreadable"
    return record(record(settings.get("security")).get("auth")).get("selectedType")


def _login(path: Path) -> CredentialShape | None:
    try:
        saved, content = path.stat().st_mtime_ns, path.read_bytes()
    except OSError:
        return None
    return CredentialShape(
        provider="google", method="login", place=str(path), fingerprint=fingerprint(content, str(saved))
    )
