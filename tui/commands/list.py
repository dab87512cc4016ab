"""`midwatch list`: the workflows that can be named from here, each with its last status (R4, R7).

`--json`: a list of `{"workflow", "path", "status": "never run|live|finished", "live_runs", "last_run", "outcome",
"origin": "project|personal|elsewhere", "trusted", "description", "error"}`. `last_run` is the newest live
run, else the newest. Workflows that ran, whose file exists and that cannot be named from here come last, `elsewhere`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.settings import load_settings
from harness.trust import require_trust
from harness.workflow_search import find_workflows
from store.ids import now_ms
from store.paths import Places
from store.views import harness_paused
from store.workflow_lines import WorkflowLine, workflow_lines
from tui.commands.options import describe
from tui.commands.reading import reading, watched
from tui.commands.table import table
from tui.commands.tones import tone
from tui.standing import run_status
from tui.statuses import Status
from tui.text import one_line
from tui.wording import ago, sign, word

if TYPE_CHECKING:
    from store.model import Outcome, RunStatus
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "Workflows of this project and of yours, each with its last status.", "midwatch list")


class _Listed(NamedTuple):
    name: str
    path: str
    origin: str
    trusted: bool
    description: str
    error: str | None
    ran: WorkflowLine | None


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Lists them."""
    places = Places.of_environment()
    ran: dict[str, WorkflowLine] = {}
    paused = False
    with reading(places) as connection:
        if connection is not None:
            ran, paused = workflow_lines(connection), harness_paused(connection)
    listed = _listed(places, ran)
    if arguments.json:
        terminal.document([_document(one) for one in listed])
        return Status.OK
    if not listed:
        terminal.note(f"no workflows here; put one in {one_line(str(places.workflows))}, or in .midwatch/ of a project")
        return Status.OK
    watch = any(line.live_runs for line in ran.values()) and watched(places)
    states = [_state(one, watch=watch, paused=paused) for one in listed]
    terminal.lines(
        table(
            terminal,
            [_row(one, state, terminal) for one, state in zip(listed, states, strict=True)],
            header=("", "WORKFLOW", "STATUS", "LAST RUN", "WHERE", "DESCRIPTION"),
            gives=(5, 4, 1),
            colours=[tone(state) for state in states],
            coloured=(0, 2),
        )
    )
    for one in listed:
        if one.error is not None:
            terminal.note(f"midwatch: {one_line(one.error)}")
    return Status.OK


def _listed(places: Places, ran: dict[str, WorkflowLine]) -> list[_Listed]:
    listed = [
        _Listed(
            name=found.name,
            path=str(found.path),
            origin=found.origin,
            trusted=_may_be_launched(places, found.path),
            description=found.workflow.description if found.workflow is not None else "",
            error=None if found.error is None else str(found.error),
            ran=ran.get(str(found.path)),
        )
        for found in find_workflows(places, Path.cwd(), load_settings(places.settings))
    ]
    here = {one.path for one in listed}
    listed.extend(
        _Listed(line.name, path, "elsewhere", _may_be_launched(places, Path(path)), "", None, line)
        for path, line in ran.items()
        if path not in here and Path(path).exists()
    )
    return listed


def _may_be_launched(places: Places, path: Path) -> bool:
    from harness.errors import NotTrusted

    try:
        require_trust(places, path)
    except NotTrusted:
        return False
    return True


def _document(one: _Listed) -> dict[str, Any]:
    last = None if one.ran is None else one.ran.last
    return {
        "workflow": one.name,
        "path": one.path,
        "status": "never run" if last is None else "live" if last.live else "finished",
        "live_runs": 0 if one.ran is None else one.ran.live_runs,
        "last_run": None if last is None else last.id,
        "outcome": None if last is None else last.outcome,
        "origin": one.origin,
        "trusted": one.trusted,
        "description": one.description,
        "error": one.error,
    }


def _state(one: _Listed, *, watch: bool, paused: bool) -> Outcome | RunStatus | None:
    if one.ran is None:
        return None
    last = one.ran.last
    return last.outcome or run_status(last, watched=watch, harness_paused=paused)


def _row(one: _Listed, state: Outcome | RunStatus | None, terminal: Terminal) -> tuple[str, ...]:
    live = one.ran.live_runs if one.ran is not None else 0
    where = one.origin if one.trusted else f"{one.origin}, not trusted"
    return (
        sign(state, terminal.ascii),
        one_line(one.name),
        f"{live} {word(state)}" if live > 1 else word(state),
        "" if one.ran is None else ago(one.ran.last.started_at, now_ms()),
        where,
        "not valid" if one.error is not None else one_line(one.description),
    )
