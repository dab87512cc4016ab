"""Crush: how it is started. Written from its documentation and never run, since it could not be installed here."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.plain_output import PlainOutput
from harness.agents.prompt_line import prompt_line


class Crush:
    """The adapter for Crush: its output is the answer, its exit status says whether it failed."""

    name = "crush"
    program = "crush"
    metered = True
    gives_result = False
    takes_lines = False
    chooses_session = False
    resumes = False
    polite = SIGTERM
    patience = 120.0
    version = ("--version",)
    tested = ""
    limits = (
        "midwatch was never run with Crush: how it is started is taken from its documentation.",
        "Crush prints its answer alone: tools, files, tokens, cost and the kind of an error are not known.",
        "Crush does not name its session in its output, so an attempt that was cut off starts anew.",
        "Crush runs every tool without asking; `allow` and `max_turns` mean nothing to it.",
        "Crush signs in with whatever its providers' settings say, which has no shape that midwatch can tell.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """One line that names the prompt's file."""
        argv = [brief.program or self.program, *brief.args, "run", "--quiet"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        return Invocation(argv=(*argv, prompt_line(brief)), stdin=brief.prompt)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader that reads nothing, since the output is the answer."""
        return PlainOutput()

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: which of its many providers it would use depends on more than the environment."""
        return None
