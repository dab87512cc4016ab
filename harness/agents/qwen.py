"""Qwen Code: how it is started, and what it signs in with. Checked on 0.24.4 and 0.15.10."""

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
from harness.agents.json_lines import Record, record
from harness.agents.options import says
from harness.agents.qwen_stream import QwenStream

_NO_RELAUNCH = "QWEN_CODE_NO_RELAUNCH"
_APPROVAL = ("--approval-mode", "-y", "--yolo")


class Qwen:
    """The adapter for Qwen Code.

    Left alone it starts itself a second time, and the first process passes no signal on. With `QWEN_CODE_NO_RELAUNCH`
    there is one process, which TERM ends. A value of the terminal's own goes before ours.
    """

    name = "qwen"
    program = "qwen"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = True
    resumes = True
    polite = SIGTERM
    patience = 240.0
    version = ("--version",)
    tested = "0.24.4"
    limits = (
        "Qwen Code names no cost and no cache writes, and reports no model request that was refused and tried again.",
        "Its own requests about what to remember are told only in its result: without one they stay unknown.",
        "Up to 0.15 Qwen Code reports a refused request as a success; it is known by having used no tokens.",
        "A refused sign-in is known as such only from the structured error of newer versions.",
        "A tool that needs leave is not offered to the model at all; `allow` in the workflow can give it beforehand.",
        "Qwen Code names no file that a shell command changed, and finds a session only in the folder it began in.",
        "A key from its own settings or from a provider in them has no shape that midwatch can tell from another.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; the session by its exact id, a fresh one by the id we chose (R17)."""
        argv = [brief.program or self.program, *brief.args, "--output-format", "stream-json"]
        if not says(brief.args, *_APPROVAL):
            argv += ["--approval-mode", "auto-edit"]
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
        return QwenStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """The key in `OPENAI_API_KEY`, or the login that it saved, whichever its settings say (tried on 0.24.4)."""
        if not env.get("HOME"):
            return None
        folder = Path(env["HOME"]) / ".qwen"
        settings = _settings(folder / "settings.json")
        if settings is None or settings.get("modelProviders"):
            return None
        auth = record(record(settings.get("security")).get("auth"))
        if auth.get("apiKey"):
            return None
        kind = auth.get("selectedType")
        if kind in (None, "openai"):
            provider = f"openai at {env['OPENAI_BASE_URL']}" if env.get("OPENAI_BASE_URL") else "openai"
            return credential_in(env, "OPENAI_API_KEY", provider=provider, method="api key")
        return _login(folder / "oauth_creds.json") if kind == "qwen-oauth" else None


def _settings(path: Path) -> Record | None:
    """Its settings, empty when there are none; `None` when they cannot be read."""
    try:
        return record(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        return None


def _login(path: Path) -> CredentialShape | None:
    try:
        saved, content = path.stat().st_mtime_ns, path.read_bytes()
    except OSError:
        return None
    return CredentialShape(
        provider="qwen", method="login", place=str(path), fingerprint=fingerprint(content, str(saved))
    )
