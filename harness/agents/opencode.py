"""opencode: how it is started. Checked on 1.18.33."""

from __future__ import annotations

import json
from collections.abc import Mapping
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.opencode_stream import OpencodeStream
from harness.agents.options import says

_PERMISSION = "OPENCODE_PERMISSION"
_TITLE = "midwatch"


class Opencode:
    """The adapter for opencode.

    A fresh session gets its title from us: left alone, opencode asks its model for one beside the first request, and
    those tokens stand in no event.
    """

    name = "opencode"
    program = "opencode"
    metered = True
    gives_result = True
    takes_lines = True
    chooses_session = False
    resumes = True
    polite = SIGTERM
    patience = 120.0
    version = ("--version",)
    tested = "1.18.33"
    limits = (
        "opencode tells tokens at the end of each step: those of a step that was cut off stay unknown.",
        "opencode names no model, and tells its session only with the first answer of the model.",
        "A cost or a cache write of 0 means that opencode does not know it, and is shown as unknown.",
        "opencode says nothing for up to 80 seconds while it is refused for a rate limit or overload.",
        "A tool that needs leave is denied and ends the work; `allow` in the workflow can give it beforehand.",
        "It hangs when a session is taken up in another folder than its own, so midwatch always goes back to that one.",
        "opencode signs in with whatever its providers' settings say, which has no shape that midwatch can tell.",
    )

    def invoke(self, brief: Brief) -> Invocation:
        """The prompt on standard input, since opencode alters one in its arguments; a session by its exact id (R17)."""
        argv = [brief.program or self.program, *brief.args, "run", "--format", "json"]
        if brief.model is not None:
            argv += ["--model", brief.model]
        if brief.session is not None:
            argv += ["--session", brief.session]
        elif not says(brief.args, "--title"):
            argv += ["--title", _TITLE]
        given = dict.fromkeys(brief.allow, "allow")
        env = {_PERMISSION: json.dumps(given)} if given and _PERMISSION not in brief.env else {}
        return Invocation(argv=tuple(argv), stdin=brief.prompt, env=env, session=brief.session)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader of its events."""
        return OpencodeStream(beside)

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: which of its many providers it would use depends on more than the environment."""
        return None
