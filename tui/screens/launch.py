"""Launching a workflow: what it asks for, what it would do, whether its project is trusted; then go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static, TextArea

from tui.aside import aside
from tui.draft import Draft
from tui.launching import Launchable, go, read_launchable
from tui.plan_text import plan_text
from tui.text import one_line
from tui.tilde import with_tilde
from tui.widgets.choice import Choice
from tui.widgets.footer import Footer
from tui.widgets.go import Go
from tui.widgets.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.widget import Widget

    from harness.workflow import Input as Asked
    from tui.midwatch import Midwatch

KEEP_AFTER_S = 0.3


class Launch(Screen[str | None], inherit_bindings=False):
    """Answers with the id of the run, or `None` when it was left. What was typed is kept until it is launched."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("f5", "go", show=False),
        Binding("tab", "app.focus_next", show=False),
        Binding("shift+tab", "app.focus_previous", show=False),
    ]

    def __init__(self, path: str, name: str) -> None:
        super().__init__(id="launch")
        self._path, self._label = path, name
        self._launchable: Launchable | None = None
        self._fields: dict[str, Input | TextArea | Choice] = {}
        self._unsaved = self._launching = self._launched = False
        self._saving = False
        self._folder: Choice | None = None
        self.footer = Footer(id="footer")
        self.plan = Page(id="plan", heading="Plan")
        self.form = VerticalScroll(id="form", can_focus=False)

    @property
    def midwatch(self) -> Midwatch:
        """The app, by its own type."""
        return cast("Midwatch", self.app)

    def compose(self) -> ComposeResult:
        """The form beside the plan, or above it."""
        yield Container(self.form, self.plan, id="columns")
        yield self.footer

    def on_mount(self) -> None:
        """Reads the file anew: it may have changed since it was listed."""
        self.form.border_title = f"Launch {one_line(self._label)}".replace("[", r"\[")
        self.draft = Draft(self.midwatch.places, self._path)
        self.plan.empty = "reading the workflow"
        self.plan.hanging = 4
        self.plan.caption_now()
        places, path = self.midwatch.places, Path(self._path)
        aside(self, lambda: read_launchable(places, path), self._show)

    def _show(self, launchable: Launchable) -> None:
        self._launchable = launchable
        workflow = launchable.workflow
        if workflow is None:
            self.plan.show([(with_tilde(one_line(problem)), "red") for problem in launchable.problems])
            self._hints()
            return
        kept = self.draft.load()
        for asked in workflow.inputs:
            self.form.mount(*self._field(asked, kept.get(asked.name)))
        if not workflow.inputs:
            self.form.mount(Static("It asks for nothing.", markup=False, classes="note"))
        self.form.mount(*self._where(launchable.folders))
        if launchable.untrusted is not None:
            self.form.mount(Static(_trust_question(launchable.untrusted), markup=False, classes="question"))
        go = Go("launch" if launchable.untrusted is None else "trust the project and launch", id="go")
        self.form.mount(go)
        self.plan.show(list(plan_text(workflow, launchable.missing)))
        self._hints()
        (next(iter(self._fields.values())) if self._fields else go).focus()
        if kept:
            self.footer.say("what you typed here before is back", "dim")

    def _field(self, asked: Asked, kept: str | None) -> list[Widget]:
        value = kept if kept is not None else asked.default or ""
        optional = "  (may stay empty)" if not asked.required and not asked.default and not asked.choices else ""
        label = Static(f"{one_line(asked.prompt)}{optional}", markup=False, classes="label")
        field: Input | TextArea | Choice
        if asked.choices:
            field = Choice(asked.choices, value, id=f"field-{len(self._fields)}")
        elif asked.multiline:
            field = TextArea(value, id=f"field-{len(self._fields)}", tab_behavior="focus")
        else:
            field = Input(value, id=f"field-{len(self._fields)}")
        self._fields[asked.name] = field
        return [label, field]

    def _where(self, folders: Sequence[Path]) -> list[Widget]:
        shown = [with_tilde(one_line(str(folder))) for folder in folders]
        if len(folders) == 1:
            return [Static(f"Its agents work in {shown[0]}.", markup=False, classes="note")]
        self._folder = Choice(shown, shown[0], id="folder")
        told = "This workflow is another project's. Where are its agents to work?"
        return [Static(told, markup=False, classes="label"), self._folder]

    def _chosen(self, launchable: Launchable) -> Path | None:
        """The folder, unless it is this terminal's."""
        if self._folder is None or self._folder.at == len(launchable.folders) - 1:
            return None
        return launchable.folders[self._folder.at]

    def _hints(self) -> None:
        self.footer.show([("tab", "next"), ("F5", "launch"), ("esc", "back, keeps what you typed")])

    def values(self) -> dict[str, str]:
        """What is in the fields."""
        return {
            name: field.text if isinstance(field, TextArea) else field.value for name, field in self._fields.items()
        }

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Choice.Changed)
    def keep_soon(self) -> None:
        """Writes the draft a moment after the last change."""
        self._unsaved = True
        if not self._saving:
            self._saving = True
            self.set_timer(KEEP_AFTER_S, self._keep)

    def _keep(self) -> None:
        self._saving = False
        if self._unsaved and not self._launched:
            self._unsaved = False
            problem = self.draft.save(self.values())
            if problem:
                self.footer.say(problem, "red")

    @on(Input.Submitted)
    def go_on(self) -> None:
        """Enter leads to the next field."""
        self.focus_next()

    @on(Go.Pressed)
    def action_go(self) -> None:
        """Launches, or says what is missing."""
        launchable = self._launchable
        if launchable is None or launchable.workflow is None or self._launching:
            return
        self._keep()
        self._launching = True
        self.footer.say("launching: the watch takes it up")
        places, values, folder = self.midwatch.places, self.values(), self._chosen(launchable)
        aside(self, lambda: go(places, launchable, values, folder), self._gone)

    def _gone(self, answer: tuple[str, str, str]) -> None:
        run, field, problem = answer
        self._launching = False
        if run:
            self._launched = True
            self.draft.clear()
            self.dismiss(run)
            return
        self.footer.say(problem, "red")
        self.footer.refresh(layout=True)
        if field in self._fields:
            self._fields[field].focus()

    def action_leave(self) -> None:
        """Back, with the draft kept."""
        self._keep()
        self.dismiss(None)

    def on_unmount(self) -> None:
        """However the screen ends."""
        self._keep()


def _trust_question(project: Path) -> str:
    where = with_tilde(one_line(str(project)))
    return (
        f"This workflow lies in {where}, which you have not trusted. Its agents run programs here, as you. Read the "
        "plan; launching it trusts the project from now on, whatever its workflows say later."
    )
