"""An agent is not the operator: what it may ask from inside, as long as it keeps its marks (R21). No protection."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping

from harness.errors import RefusedError
from store.views import run_line

MARK = "MIDWATCH_ATTEMPT"
_LONGEST_LINE = 100


def inside() -> bool:
    """Whether this process is an agent of midwatch, or was started by one."""
    return MARK in os.environ


def parent() -> Mapping[str, str] | None:
    """The agent that this process is or was started by, as a launch names it; `None` for a person's."""
    if not inside():
        return None
    run, agent = os.environ.get("MIDWATCH_RUN", ""), os.environ.get("MIDWATCH_AGENT", "")
    return {"run": run, "agent": agent, "mark": os.environ[MARK]}


def only_for_a_person(verb: str) -> None:
    """Raises `RefusedError` from inside an agent."""
    if inside():
        raise RefusedError(f"'{verb}' is for a person; this is an agent of midwatch ({MARK} is set)")


def only_its_own(connection: sqlite3.Connection, verb: str, run: str | None) -> None:
    """Raises `RefusedError` from inside an agent, unless `run` is the agent's own or launched from inside of it."""
    if not inside():
        return
    own, wanted = os.environ.get("MIDWATCH_RUN"), run
    for _ in range(_LONGEST_LINE):
        if run is None or run == own:
            break
        run = run_line(connection, run).parent
    if run is None or run != own:
        what = "every run" if wanted is None else f"run {wanted}"
        raise RefusedError(f"'{verb}' of {what} is for a person; this is an agent of run {own} ({MARK} is set)")
