"""The workflows with their last known status (R4, R7): those whose files were found, and those only in the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.model import Outcome, RunStatus
from tui.commands.tones import tone
from tui.lines import Cell, Line, row
from tui.text import cells, one_line
from tui.tilde import with_tilde
from tui.widgets.rows import Rows
from tui.wording import sign, word

if TYPE_CHECKING:
    from harness.workflow_search import Found
    from store.workflow_lines import WorkflowLine
    from tui.glance import Glance

ALL = "all workflows"


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkflowRow:
    """One row. `path` of `None` stands for all of them together."""

    path: str | None
    name: str
    live: int = 0
    state: Outcome | RunStatus | None = None
    found: Found | None = None
    """The file, if one was found from here."""
    note: str = ""
    """What is said in place of a state."""
    error: str | None = None
    """Why nothing can be launched from it."""


def workflow_rows(glance: Glance, found: Iterable[Found]) -> list[WorkflowRow]:
    """All of them: what is live first, then by name; the row for all of them before."""
    files = {str(one.path): one for one in found}
    rows = [
        WorkflowRow(
            path=path,
            name=one_line(files[path].name if path in files else glance.workflows[path].name),
            live=_live(glance.workflows, path),
            state=glance.state(glance.workflows[path].last) if path in glance.workflows else None,
            found=files.get(path),
            error=_error(files.get(path)),
        )
        for path in {**files, **glance.workflows}
    ]
    live = f"{glance.live} {'live' if glance.watched else 'unsettled'}" if glance.live else ""
    rows.sort(key=lambda one: (one.live == 0, one.name.casefold(), one.path or ""))
    return [WorkflowRow(path=None, name=ALL, note=live), *rows] if rows else []


def _live(workflows: Mapping[str, WorkflowLine], path: str) -> int:
    return workflows[path].live_runs if path in workflows else 0


def _error(found: Found | None) -> str | None:
    return None if found is None or found.error is None else one_line(str(found.error))


class Workflows(Rows[WorkflowRow]):
    """The pane that the screen opens on."""

    _room = 0

    def key_of(self, item: WorkflowRow) -> str | None:
        """Its path: two projects may both have a `ship`."""
        return item.path

    def text_of(self, item: WorkflowRow) -> str:
        """Name and status."""
        return f"{item.name} {self._status(item)}"

    def measure(self, items: Sequence[WorkflowRow]) -> None:
        """The statuses stand below one another."""
        self._room = max(cells(self._status(one)) for one in items)

    def line_of(self, item: WorkflowRow, width: int) -> Line:
        """`▸ ship-feature     2 live`."""
        status, colour = self._status(item), "red" if item.error is not None else tone(item.state) or "dim"
        room = self._room
        if item.path is None:
            return row([Cell(item.name, width - room - 1, "bold"), Cell(status, room, right=True)], width)
        mark = "!" if item.error is not None else sign(item.state, self.midwatch.ascii)
        return row(
            [Cell(mark, 1, colour), Cell(item.name, width - room - 3), Cell(status, room, colour, right=True)], width
        )

    def emptiness(self) -> list[str]:
        """What makes a workflow."""
        own = with_tilde(one_line(str(self.midwatch.places.workflows)))
        return ["no workflows yet; put one in", f" {own}/", "or, for one project, in", " .midwatch/", "? says more"]

    def _status(self, item: WorkflowRow) -> str:
        if item.path is None:
            return item.note
        if item.error is not None and item.state is None:
            return "not valid"
        if item.live:
            return f"{item.live} {word(item.state)}"
        return word(item.state) if item.state is not Outcome.WITH_FAILURES else "with failures"
