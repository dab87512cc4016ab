"""Which runs of the history a person asked for: of a workflow, that ended so, launched since, that cost as much."""

from __future__ import annotations

import os
from dataclasses import dataclass

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from store.model import Outcome
    from store.views import RunLine


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFilter:
    """What a run must be to be shown; `None` asks for nothing."""

    name: str | None = None
    path: str | None = None
    """The workflow goes by its name or by its resolved path."""
    outcome: Outcome | None = None
    since: int | None = None
    """Launched at this moment (ms) or later."""
    cost: int | None = None
    """Known to have cost at least so many nano-dollars."""

    @classmethod
    def of(
        cls, workflow: str | None, outcome: Outcome | None = None, *, since: int | None = None, cost: int | None = None
    ) -> RunFilter:
        """The filter for `workflow`, a name or a path from this folder, and the rest as it is."""
        if workflow is None:
            return cls(outcome=outcome, since=since, cost=cost)
        from tui.commands.options import name

        return cls(name=name(workflow), path=os.path.realpath(workflow), outcome=outcome, since=since, cost=cost)

    def fits(self, line: RunLine) -> bool:
        """Whether this run is one of them."""
        return (
            (self.name is None or self.name == line.name or self.path == line.workflow)
            and (self.outcome is None or line.outcome is self.outcome)
            and (self.since is None or line.started_at >= self.since)
            and (self.cost is None or (line.totals.spent or 0) >= self.cost)
        )
