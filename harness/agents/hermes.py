"""Hermes Agent: how it is started. Checked on 0.19.0."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGINT

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.hermes_usage import HermesUsage
from harness.agents.prompt_line import prompt_line


class Hermes:
    """The adapter for Hermes Agent.

    Its one-shot mode takes the prompt as an argument, so that is one line which names the file where the prompt lies.
    """

    name = "hermes"
    program = "hermes"
    metered = True
    gives_result = True
    takes_lines = False
    chooses_session = False
    resumes = False
    polite = SIGINT
    patience = 60.0
    version = ("--version",)
    tested = "0.19.0"
    limits = (
        "Hermes Agent prints its answer alone: tools, files and retries are not seen while it works.",
        "It tells tokens only when it ends by itself, in a file: those of a killed or failed attempt stay unknown.",
        "A cache write of 0 means that it does not know it, and its cost counts only where it says that it knows it.",
        "Hermes Agent says that it failed, not why: a refused sign-in or a rate limit stands in its answer alone.",
        "Its one-shot mode cannot take up a session, so an attempt that was cut off starts anew.",
        "Its one-shot mode runs every tool without asking; `allow` and `max_turns` mean nothing to it.",
        "Hermes Agent signs in with whatever its providers' settings say, which has no shape that midwatch can tell.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """One line that names the prompt's file; what it used goes to the usage file."""
        argv = [brief.program or self.program, *brief.args]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.usage_file is not None:
            argv += ["--usage-file", str(brief.usage_file)]
        return Invocation(argv=(*argv, "-z", prompt_line(brief)), stdin=brief.prompt)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its usage file, since its output is the answer."""
        return HermesUsage(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: which of its many providers it would use depends on more than the environment."""
        return None
