"""What a person finds when they come back: what was cut off, what ended while they were away, dead letters (R8)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from store.errors import StoreError
from tui.aside import aside
from tui.record_reader import RecordReader
from tui.screens.panes import Panes
from tui.situation import Pane

if TYPE_CHECKING:
    from tui.away import Away, Looked
    from tui.cut_off import Key

KEEP_EVERY_S = 60.0


class Returning(Panes):
    """The `do_…` of these keys, and what opens by itself at the start."""

    def __init__(self) -> None:
        super().__init__()
        self.settled = False
        """Whether what was cut off is known: the record says nothing is live that has no watch."""
        self._told: dict[Key, str] = {}
        self._since: Looked | None = None
        self._away: Away | None = None
        self._settling = False

    def look(self, run: str | None = None) -> None:
        """Reads the record and shows it."""
        raise NotImplementedError

    def come_back(self) -> None:
        """Called when the first frame stands: settles what was cut off, then tells of it. Nobody waits for it."""
        from tui.away import last_looked  # after the first frame

        self._since = last_looked(self.midwatch.places)
        self._settle(self._settled)

    def keep_looked(self) -> None:
        """From here on whatever ends was seen."""
        if self.settled:
            from tui.away import Looked, keep_looked

            keep_looked(self.midwatch.places, Looked(seq=self.glance.seq, at=self.midwatch.now()))

    def _settle(self, then: Callable[[str], object]) -> None:
        from tui.taking_up import settle

        if not self.glance.live or self.glance.watched:
            then("")
        elif not self._settling:
            self._settling = True
            self.say("the watch is gone: what it left is being settled")
            places = self.midwatch.places

            def settled(problem: str) -> None:
                self._settling = False
                self.footer.hush()
                self.look()
                then(problem)

            aside(self, lambda: settle(places), settled)

    def _settled(self, problem: str) -> None:
        self.settled = True
        self._count_away()
        self.set_interval(KEEP_EVERY_S, self.keep_looked)
        if problem:
            self.say(problem, "red")
        if self.glance.cut_off and self.is_current:
            self._open_recovery()

    def _count_away(self) -> None:
        if self._since is None:
            return
        from tui.away import sentence, while_away

        reader = RecordReader(self.midwatch.places)
        try:
            connection = reader.connection()
            if connection is not None:
                self._away = while_away(connection, self._since.at)
        except (StoreError, sqlite3.Error):  # the look at the record says it
            return
        finally:
            reader.close()
        if self._away is not None and self._away.worth_a_line:
            self.footer.remind(self.midwatch.keys.get("away", "w"), sentence(self._away))
            self.settle_heights()

    def do_recovery(self) -> None:
        """What was cut off; settles it first where a watch was lost meanwhile."""
        self._settle(self._show_recovery)

    def _show_recovery(self, problem: str) -> None:
        if problem:
            self.say(problem, "red")
        elif self.glance.cut_off:
            self._open_recovery()
        else:
            self.say("nothing was cut off, or all of it was taken up or discarded")

    def _open_recovery(self) -> None:
        from tui.screens.recovery import Recovery

        self.app.push_screen(Recovery(self._told, live=self.glance.live), self._recovered)

    def _recovered(self, run: str | None) -> None:
        self.look(run)
        if run is not None:
            self.focus_pane(Pane.AGENTS)
        if self.glance.cut_off:
            self.say(f"{self.midwatch.keys.get('recovery', 'R')} shows again what was cut off")

    def do_away(self) -> None:
        """What ended since this person last looked; read once, the line about it is gone."""
        from tui.screens.away import AwayScreen

        self.footer.remind("", "")
        self.app.push_screen(AwayScreen(self._away))

    def do_credentials(self) -> None:
        """Credentials that do not work."""
        from tui.screens.credentials import Credentials

        self.app.push_screen(Credentials())

    def do_letters(self) -> None:
        """Dead letters and refused transitions."""
        from tui.screens.letters import Letters

        self.app.push_screen(Letters())
