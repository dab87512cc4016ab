"""Cursor CLI: how it is started. Written from its documentation and never run, since it needs an account."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader, credential_in
from harness.agents.cursor_stream import CursorStream
from harness.agents.prompt_line import prompt_line


class Cursor:
    """The adapter for Cursor CLI."""

    name = "cursor"
    program = "cursor-agent"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = False
    resumes = False
    polite = SIGTERM
    patience = 120.0
    version = ("--version",)
    tested = ""
    limits = (
        "midwatch was never run with Cursor CLI: how it is started and read is taken from its documentation.",
        "Cursor CLI names no tokens and no cost, and says why it failed on standard error alone.",
        "Without `--force` in its `args` Cursor CLI only proposes changes, without `--trust` it may refuse a folder.",
        "What Cursor CLI does when a session is gone is not known, so an attempt that was cut off starts anew.",
        "`allow` and `max_turns` mean nothing to it.",
        "Only a key in CURSOR_API_KEY has a shape that midwatch can tell; a saved login has none.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """One line that names the prompt's file."""
        argv = [brief.program or self.program, *brief.args, "--print", "--output-format", "stream-json"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        return Invocation(argv=(*argv, prompt_line(brief)), stdin=brief.prompt)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its stream."""
        return CursorStream()

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """The key in `CURSOR_API_KEY`."""
        return credential_in(env, "CURSOR_API_KEY", provider="cursor", method="api key")
