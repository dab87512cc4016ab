"""Recovery: what was cut off, and what the person makes of it. Nothing starts before that (R8–R12)."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.actions import bindings
from tui.aside import aside
from tui.cut_off import Key, Offer, discard_effects
from tui.screens.recovery_frame import RecoveryFrame
from tui.taking_up import give_up, take_up
from tui.text import one_line
from tui.tilde import with_tilde
from tui.wording import short


class Recovery(RecoveryFrame, inherit_bindings=False):
    """Answers with the run to show then, or `None`. `told` keeps what agents will be told, beyond this screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(("down", "up", "page-up", "top", "bottom")),
        Binding("pagedown", "act('page-down')", show=False),
        Binding("space", "mark", show=False),
        Binding("r", "resume(False)", show=False),
        Binding("c", "resume(True)", show=False),
        Binding("e", "edit", show=False),
        Binding("enter", "look", show=False),
        Binding("x", "discard", show=False),
        Binding("escape,q", "later", show=False),
    ]

    def action_act(self, action: str) -> None:
        """Moves the hand."""
        match action:
            case "down" | "up":
                self.rows.move(1 if action == "down" else -1)
            case "page-down" | "page-up":
                self.rows.page(1 if action == "page-down" else -1)
            case "top" | "bottom":
                self.rows.jump(end=action == "bottom")

    def action_mark(self) -> None:
        """In the box of the agent under the hand, or out of it."""
        self.rows.mark()

    def action_resume(self, onward: bool) -> None:
        """One request for each agent that is meant; each is answered for itself."""
        for offer in self.rows.chosen:
            if offer.key not in self._asked:
                self._ask(offer, onward=onward)

    def _ask(self, offer: Offer, *, onward: bool) -> None:
        self._asked.add(offer.key)
        self._say(offer, "asked, waiting for the watch", "dim")
        places, (run, agent), tell = self.midwatch.places, offer.key, self._told.get(offer.key)
        aside(
            self,
            lambda: take_up(places, run, agent, onward=onward, tell=tell),
            lambda answer: self._taken_up(offer, *answer),
        )

    def _taken_up(self, offer: Offer, run: str, problem: str) -> None:
        self._asked.discard(offer.key)
        if run:
            self._resumed = run
            self._told.pop(offer.key, None)
            self._say(offer, f"taken up as run {short(run)}", "green")
        else:
            self._say(offer, f"not taken up: {problem}", "red")
        self._read()
        if run:
            self._leave_if_done()

    def _leave_if_done(self) -> None:
        if not self._offers.runs and not self._asked and self.is_current:
            self.dismiss(self._resumed or None)

    def action_edit(self) -> None:
        """Opens what the agent under the hand will be told (R11)."""
        row = self.rows.selected
        if row is None or row.offer is None:
            return
        from harness.resuming import CUT_OFF

        self._editing = row.offer.key
        self.editor.text = self._told.get(self._editing, CUT_OFF)
        self.editor.border_title = f"What {one_line(self._editing[1])} will be told".replace("[", r"\[")
        self.editor.display = True
        self.editor.focus()
        self._arrange()

    def _edited(self, key: Key) -> None:
        from harness.resuming import CUT_OFF

        text = self.editor.text.strip()
        if text and text != CUT_OFF:
            self._told[key] = text
        else:
            self._told.pop(key, None)
        self._editing = None
        self.editor.display = False
        self.rows.focus()
        self.rows.repaint()
        self._arrange()

    def action_look(self) -> None:
        """To the run on the main screen; `R` comes back."""
        row = self.rows.selected
        if row is not None:
            self.dismiss(row.run.id)

    def on_rows_entered(self) -> None:
        """A second click is enter."""
        self.action_look()

    def action_discard(self) -> None:
        """Settles the run of the agent under the hand, after saying what that does."""
        row = self.rows.selected
        if row is None:
            return
        from tui.screens.confirm import Confirm

        run, places = row.run, self.midwatch.places
        name = f"{one_line(run.name)}, run {short(run.id)}"

        def answered(yes: bool | None) -> None:
            if yes:
                self._answers[run.id] = (f"{name}: asked, waiting for the watch", "dim")
                self._arrange()
                aside(self, lambda: give_up(places, run.id), lambda problem: self._discarded(run.id, name, problem))

        self.app.push_screen(
            Confirm(heading=f"Discard {name}?", effects=discard_effects(run), verb="discard"), answered
        )

    def _discarded(self, run: str, name: str, problem: str) -> None:
        said = ("discarded; its record and its cost stay", "") if not problem else (f"not discarded: {problem}", "red")
        self._answers[run] = (with_tilde(one_line(f"{name}: {said[0]}")), said[1])
        self._read()
        if not problem:
            self._leave_if_done()

    def action_later(self) -> None:
        """Ends the editing, else leaves; the header keeps the mark."""
        if self._editing is not None:
            self._edited(self._editing)
        else:
            self.dismiss(self._resumed or None)
