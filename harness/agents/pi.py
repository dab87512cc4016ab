"""pi: how it is started. Checked on 0.73.1."""

from __future__ import annotations

from collections.abc import Mapping
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.pi_stream import PiStream


class Pi:
    """The adapter for pi. It gives its session an id of its own, known from its first line."""

    name = "pi"
    program = "pi"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = False
    resumes = True
    polite = SIGTERM
    patience = 60.0
    version = ("--version",)
    tested = "0.73.1"
    limits = (
        "pi has no permissions: every tool runs, and `allow` means nothing to it.",
        "pi tells tokens at the end of each message: those of one that was cut off stay unknown.",
        "A cost or a cache write of 0 means that pi does not know it, and is shown as unknown.",
        "pi repeats a message for every piece of it, so its output grows faster than what it says.",
        "In another folder than its own pi asks whether to fork a session; midwatch always goes back to that one.",
        "pi names no file that a shell command changed.",
        "pi signs in with whatever its providers' settings say, which has no shape that midwatch can tell.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input; a session by its exact id (R17)."""
        argv = [brief.program or self.program, *brief.args, "--mode", "json"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.session is not None:
            argv += ["--session", brief.session]
        return Invocation(argv=(*argv, "-p"), stdin=brief.prompt, session=brief.session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its events."""
        return PiStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: which of its many providers it would use depends on more than the environment."""
        return None
