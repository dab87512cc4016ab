"""`midwatch status`: one short line for a tmux bar or a prompt.

`--json`: `{"live", "unsettled", "stuck", "to_recover", "paused", "watch", "spent_today": {…}}`, the cost as in
`show --json`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from store.ids import now_ms
from store.paths import Places
from store.recovery import cut_off_runs
from store.usage import Totals
from store.views import harness_paused, live_runs
from tui.commands.options import describe
from tui.commands.reading import reading, watched
from tui.glance import spent_today
from tui.statuses import Status
from tui.wording import money

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(parser, "One short line for a tmux bar or a prompt.", "set -g status-right '#(midwatch status)'")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Prints it."""
    places = Places.of_environment()
    recorded_live = to_recover = stuck = 0
    paused, today = False, Totals()
    watch = watched(places)
    with reading(places) as connection:
        if connection is not None:
            recorded_live, to_recover = len(live_runs(connection)), len(cut_off_runs(connection))
            if recorded_live and watch:
                from tui.commands.stuck import find

                stuck = len(find(connection, watch=True, now=now_ms()))
            paused, today = harness_paused(connection), spent_today(connection, now_ms())
    live, unsettled = (recorded_live, 0) if watch else (0, recorded_live)
    if arguments.json:
        from tui.commands.document import cost

        terminal.document(
            {
                "live": live,
                "unsettled": unsettled,
                "stuck": stuck,
                "to_recover": to_recover,
                "paused": paused,
                "watch": watch,
                "spent_today": cost(today, partial=live > 0),
            }
        )
        return Status.OK
    parts = [f"{live} live"]
    parts += [f"{unsettled} unsettled"] if unsettled else []
    parts += [f"{stuck} stuck"] if stuck else []
    parts += [f"{to_recover} to recover"] if to_recover else []
    parts += ["paused"] if paused else []
    parts += [f"today {money(today)}"] if money(today) else []
    terminal.line(", ".join(parts))
    return Status.OK
