"""OpenClaw: how it is started. Checked on 2026.9.2."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.openclaw_document import OpenclawDocument

_A_WEEK = "604800"


class Openclaw:
    """The adapter for OpenClaw's isolated turn, `openclaw agent exec`.

    Left alone it gives up after ten minutes. How long an attempt may take is for the workflow to say, so it gets a
    week.
    """

    name = "openclaw"
    program = "openclaw"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = False
    resumes = False
    polite = SIGTERM
    patience = 60.0
    version = ("--version",)
    tested = "2026.9.2"
    limits = (
        "OpenClaw prints one document when it ends: nothing of its work is seen before.",
        "OpenClaw tells tokens only of work that succeeded: those of a failed or killed attempt stay unknown.",
        "A cost of 0 means that OpenClaw does not know it, and it tells cache writes only where its provider does.",
        "OpenClaw says a refused sign-in or an overload in a fixed sentence, a rate limit in the server's words.",
        "Its isolated turn keeps no session, so an attempt that was cut off starts anew.",
        "It runs every tool without asking and names no files; `allow` and `max_turns` mean nothing to it.",
        "OpenClaw signs in with whatever its providers' settings say, which has no shape that midwatch can tell.",
        "OpenClaw needs Node 22.22.3 or newer.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input."""
        argv = [brief.program or self.program, *brief.args, "agent", "exec", "--json", "--message-file", "-"]
        argv += ["--timeout", _A_WEEK]
        if brief.model is not None:
            argv += ["--model", brief.model]
        return Invocation(argv=tuple(argv), stdin=brief.prompt)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its document."""
        return OpenclawDocument()

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: which of its many providers it would use depends on more than the environment."""
        return None
