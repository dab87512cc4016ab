"""The main screen: workflows, runs, a run's agents, an agent's output, and what it all cost.

It reads the record itself, synchronously and from indexes: before the first frame, when the hand moves, and when the
feed says that there is news. Nothing here assumes that only this terminal is looking.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events

from store.database import unavailable
from store.errors import StoreError
from store.usage import Totals
from tui.aside import aside
from tui.feed import Feed, News, RecordLost
from tui.glance import Glance, look, spent_today
from tui.record_reader import RecordReader
from tui.screens.looking_back import LookingBack
from tui.screens.main_layout import LEAST, is_wide
from tui.screens.moving import Moving
from tui.screens.returning import Returning
from tui.screens.verbs import Verbs
from tui.situation import Pane
from tui.text import one_line
from tui.tilde import with_tilde
from tui.widgets.header import HeaderFacts
from tui.widgets.runs import run_rows
from tui.widgets.workflows import workflow_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.workflow_search import Found
    from store.paths import Places

LOOK_GAP_S = 0.1
"""The least time between two looks that news brings about."""
MOST_OF_THE_TIME = 20
"""A look that took long is followed by so many times its length without one."""
TODAY_EVERY_S = 2.0
CLOCK_S = 1.0
FILES_EVERY_S = 30.0
AGES_EVERY_S = 30.0
"""Between two looks at how long ago things were while nothing is live."""
PAGE = 200


class Main(Moving, Verbs, Returning, LookingBack):
    """What the program opens on."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Sequence[Found] = ()
        self.files_known = False
        """Whether workflow files have been looked for."""
        self._workflow: str | None = None
        self._limit = PAGE
        self._trouble = ""
        self._today, self._today_at, self._today_seq = Totals(), 0.0, -1
        self._looked_at, self._look_took = 0.0, 0.0
        self._look_due = False

    def on_mount(self) -> None:
        """Reads what the first frame shows, then begins to listen."""
        self._reader = RecordReader(self.midwatch.places)
        self.workflows.moved, self.runs.moved, self.board.moved = (
            self._workflow_moved,
            self._run_moved,
            self._agent_moved,
        )
        self._clock = self.set_interval(CLOCK_S, self._tick, pause=True)
        self.set_class(not is_wide(self.app.size), "narrow")
        self.look()
        self.focus_pane(Pane.WORKFLOWS)
        self.feed = Feed(self.midwatch.places, self.post_message)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.feed.start()
        self.set_interval(FILES_EVERY_S, self._find)
        self.set_interval(AGES_EVERY_S, self._tick)
        self._find()
        self.come_back()

    def on_unmount(self) -> None:
        """Lets go of the record."""
        self.keep_looked()
        self.feed.stop()
        self._reader.close()

    def look(self, run: str | None = None) -> None:
        """Reads the record and shows it; `run` is to be selected, else the one that is stays so."""
        begun = time.monotonic()
        selected = self.runs.selected
        wanted = run or (None if selected is None else selected.run.id)
        try:
            glance = self._look(wanted)
            self.runs.of_all = self._workflow is None
            self.glance = glance
            self.workflows.show(workflow_rows(glance, self.found))
            self.runs.show(run_rows(glance))
            if run is not None:
                self.runs.select(run)
            selected = self.runs.selected
            shown = None if selected is None else selected.run.id
            if shown != (None if glance.run is None else glance.run.id):
                glance = self.glance = self._look(shown) if shown is not None else glance
        except (StoreError, sqlite3.Error) as error:
            self._lost(error)
            return
        self._trouble = ""
        self._show_run(glance)
        self._looked_at = time.monotonic()
        self._look_took = self._looked_at - begun
        if glance.live:
            self._clock.resume()
        else:
            self._clock.pause()

    def reach(self, run: str) -> bool:
        """Shows this run, however old; whether it is still there."""
        while True:
            self.look(run)
            selected = self.runs.selected
            if selected is not None and selected.run.id == run:
                return True
            if len(self.glance.runs) < self._limit:
                return False
            self._limit *= 4

    def _look(self, run: str | None) -> Glance:
        connection = self._reader.connection()
        now = time.monotonic()
        glance = look(connection, watched=self.midwatch.watched(), workflow=self._workflow, run=run, limit=self._limit)
        if glance.seq != self._today_seq and now - self._today_at >= TODAY_EVERY_S:
            self._today, self._today_at, self._today_seq = spent_today(connection, self.midwatch.now()), now, glance.seq
        return glance

    def _show_run(self, glance: Glance) -> None:
        self.board.show_run(glance)
        self.cost.show(glance.run)
        self._show_output()
        self._show_header()
        self.offer()
        self.settle_heights()

    def _show_output(self) -> None:
        row = self.board.agent
        glance = self.glance
        self.output.show(
            glance.run,
            None if row is None else row.delegation,
            paused=glance.paused,
            credentials=glance.credentials,
        )

    def _show_header(self) -> None:
        glance = self.glance
        self.header.show(
            HeaderFacts(
                place=self.midwatch.place,
                live=glance.live,
                watched=glance.watched,
                paused=glance.paused,
                cut_off=glance.cut_off,
                failing=len(glance.credentials),
                today=self._today,
                trouble=self._trouble,
            )
        )

    def _lost(self, error: StoreError | sqlite3.Error) -> None:
        self._reader.close()
        told = error if isinstance(error, StoreError) else unavailable(self.midwatch.places.record, error)
        self._trouble = with_tilde(one_line(str(told)))
        self._show_header()

    def _tick(self) -> None:
        self.board.tick(self.glance)
        self.runs.repaint()

    def on_news(self, news: News) -> None:
        """Others committed something, or the watch came or went."""
        self.feed.heard()
        self.feed.live = self.glance.live > 0
        if self._look_due:
            return
        wait = self._looked_at + max(LOOK_GAP_S, MOST_OF_THE_TIME * self._look_took) - time.monotonic()
        if wait <= 0 and not self.midwatch.far_away:
            self._look_for_news()
        else:
            self._look_due = True
            self.set_timer(max(wait, LOOK_GAP_S), self._look_for_news)

    def _look_for_news(self) -> None:
        self._look_due = False
        self.look()
        self.feed.live = self.glance.live > 0

    def on_record_lost(self, lost: RecordLost) -> None:
        """Nothing new will come for now."""
        self.feed.heard()
        self._trouble = with_tilde(one_line(lost.sentence))
        self._show_header()

    def _find(self) -> None:
        """Looks for workflow files, in a thread: reading them must not wait for a slow disk."""
        places, folder = self.midwatch.places, Path(self.midwatch.folder)
        aside(self, lambda: _workflow_files(places, folder), self._files_read)

    def _files_read(self, found: Sequence[Found]) -> None:
        self.files_known = True
        if found == self.found:
            return
        self.found = found
        self.workflows.show(workflow_rows(self.glance, found))
        self.offer()
        self.settle_heights()

    def _workflow_moved(self) -> None:
        row = self.workflows.selected
        self._workflow, self._limit = None if row is None else row.path, PAGE
        self.runs.start_over()
        self.look()

    def _run_moved(self) -> None:
        row = self.runs.selected
        if self.runs.at_end and len(self.glance.runs) >= self._limit:
            self._limit += PAGE
        self.look(None if row is None else row.run.id)

    def _agent_moved(self) -> None:
        self._show_output()
        self.offer()

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.do_in()

    def on_resize(self, event: events.Resize) -> None:
        """Where little has room, it says how much would have."""
        super().on_resize(event)
        self._say_small()

    def _say_small(self) -> None:
        size = self.app.size
        if size.width < LEAST.width or size.height < LEAST.height:
            self.say(f"{size.width}x{size.height} is small; {LEAST.width}x{LEAST.height} shows more", "dim")


def _workflow_files(places: Places, folder: Path) -> Sequence[Found]:
    from harness.errors import HarnessError
    from harness.settings import Settings, load_settings
    from harness.workflow_search import find_workflows

    try:
        settings = load_settings(places.settings)
    except HarnessError:  # a launch says it
        settings = Settings()
    return find_workflows(places, folder, settings)
