"""An agent is not the operator: from inside one, the verbs that grant something are refused (R21)."""

from __future__ import annotations

import os

from harness.manners import MARK
from tui.errors import Refused


def only_for_a_person(verb: str) -> None:
    """Raises `Refused` when this process is an agent of midwatch, or was started by one."""
    if MARK in os.environ:
        raise Refused(f"'{verb}' is for a person; this is an agent of midwatch ({MARK} is set)")
