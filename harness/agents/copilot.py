"""Copilot CLI: how it is started, and what it signs in with. Checked on 1.0.102."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGINT

from harness.agents.base import (
    NOTHING_BESIDE,
    Beside,
    Brief,
    CredentialShape,
    Invocation,
    Reader,
    credential_in,
)
from harness.agents.copilot_stream import CopilotStream
from harness.agents.options import says

_PERMISSIONS = ("--allow-all-tools", "--allow-tool", "--allow-all", "--yolo")
_TOKENS = ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN")


class Copilot:
    """The adapter for Copilot CLI.

    It writes what it has used into a file, when it ends by itself or by INT, and says nothing of it in its output.
    What npm installs starts the real program as a child: only a signal to the whole group reaches that.
    """

    name = "copilot"
    program = "copilot"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = True
    resumes = True
    polite = SIGINT
    patience = 120.0
    version = ("--version",)
    tested = "1.0.102"
    limits = (
        "Copilot CLI tells tokens only when it ends, in a file: those of a killed attempt stay unknown.",
        "What Copilot CLI has saved of a killed attempt is counted with the one that takes its session up.",
        "Copilot CLI tells no cost in USD, and a cache write of 0 means that it does not know it.",
        "Copilot CLI saves a session in its first second; one that is killed before that is gone.",
        "A tool that needs leave is denied when nobody answers; `allow` in the workflow can give it beforehand.",
        "Copilot CLI names no file that a shell command changed.",
        "A sign-in saved by Copilot CLI or taken from the GitHub CLI has no shape that midwatch can tell from another.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; the session by its exact id, a fresh one by the id we chose (R17).

        A fresh start never names an id that was used before: Copilot CLI would take that session up.
        """
        argv = [brief.program or self.program, *brief.args, "--output-format", "json", "--no-ask-user"]
        argv.append("--no-auto-update")
        if not says(brief.args, *_PERMISSIONS):
            argv.append("--allow-tool=write")
        argv += [f"--allow-tool={tool}" for tool in brief.allow]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.usage_file is not None:
            argv += ["--usage-output-file", str(brief.usage_file)]
        session = brief.session or brief.attempt_session
        argv.append(f"--{'session-id' if brief.session is None else 'resume'}={session}")
        return Invocation(argv=tuple(argv), stdin=brief.prompt, session=session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its events and, at the end, of its usage file."""
        return CopilotStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """The first that it would take, in its own order (that of a provider of one's own tried on 1.0.102)."""
        where = env.get("COPILOT_PROVIDER_BASE_URL")
        if where:
            if env.get("COPILOT_PROVIDER_API_KEY_COMMAND") and not env.get("COPILOT_PROVIDER_BEARER_TOKEN"):
                return None
            return credential_in(env, "COPILOT_PROVIDER_BEARER_TOKEN", provider=where, method="token") or credential_in(
                env, "COPILOT_PROVIDER_API_KEY", provider=where, method="api key"
            )
        provider = f"github at {env['GH_HOST']}" if env.get("GH_HOST") else "github"
        found = (credential_in(env, name, provider=provider, method="token") for name in _TOKENS)
        return next((one for one in found if one is not None), None)
