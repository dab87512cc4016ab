"""`{{ session }}` in the arguments by which a command takes up a session."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MARK = re.compile(r"\{\{\s*(.*?)\s*\}\}")


def fault_of_resume(arguments: Sequence[str]) -> str | None:
    """What is wrong with the arguments, as half a sentence; `None` when they name the session and nothing else."""
    names = [found[1] for argument in arguments for found in _MARK.finditer(argument)]
    for name in names:
        if name != "session":
            return f"knows only {{{{ session }}}}, not {{{{ {name[:40]} }}}}"
    return None if names else "must have {{ session }} in it: a session is taken up by its exact id"


def with_session(arguments: Sequence[str], session: str) -> tuple[str, ...]:
    """The arguments with the session's id where `{{ session }}` stands."""
    return tuple(_MARK.sub(lambda _: session, argument) for argument in arguments)
