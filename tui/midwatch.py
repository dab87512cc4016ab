"""The app: themes, keys and screens put together. What is shown and done lies in the screens."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import BUILTIN_THEMES

from store.ids import now_ms
from tui.actions import BY_ID
from tui.app import IN_BROWSER
from tui.commands.terminal import utf8_locale
from tui.errors import WrongUsage
from tui.palette import Palette
from tui.palette_commands import Commands, PlainPalette
from tui.screens.main import Main
from tui.terminal_driver import TerminalDriver
from tui.text import one_line
from tui.theme_choice import ThemeChoice
from tui.tilde import with_tilde

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.command import Provider
    from textual.dom import DOMNode
    from textual.screen import Screen

    from harness.settings import Settings
    from store.paths import Places


class Midwatch(App[int], inherit_bindings=False):
    """One person's screen on one record."""

    TITLE = "midwatch"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "help_quit", show=False)]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Commands}
    ALLOW_SELECT = False
    AUTO_FOCUS = ""
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (110, "-broad")]  # noqa: RUF012  # as Textual declares it

    def __init__(
        self,
        places: Places,
        *,
        settings: Settings | None = None,
        far_away: bool = False,
        now: Callable[[], int] = now_ms,
        watched: Callable[[], bool] | None = None,
        place: str | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        screen = None if settings is None else settings.screen
        configured = None if screen is None else screen.theme
        if configured is not None and configured not in BUILTIN_THEMES:
            from harness.nearest import quoted, suggestion

            hint = suggestion(configured, list(BUILTIN_THEMES))
            raise WrongUsage(f"{places.settings}: [screen] there is no theme {quoted(configured)}; {hint}")
        self._choice = ThemeChoice(places, configured, environment)
        # Without colour, Textual makes a theme of true colours grey; only the terminal's own can be left out.
        driver = None if IN_BROWSER in environment else TerminalDriver  # None: Textual takes the one named there
        super().__init__(driver_class=driver, ansi_color=True if "NO_COLOR" in os.environ else None)
        self.places = places
        self.now = now
        self.watched = watched or self._watched
        self.far_away = far_away
        self.folder = os.getcwd()  # noqa: PTH109  # on the path to the first frame
        self.place = place if place is not None else _place(self.folder)
        self.in_tmux = "TMUX" in environment
        self.ascii = screen.ascii if screen is not None and screen.ascii is not None else not utf8_locale()
        self.set_class(self.ascii, "ascii")
        self.fault: BaseException | None = None
        self.keys: dict[str, str] = {}
        if settings is not None and settings.keys:
            self.keys = {action: ", ".join(keys) for action, keys in settings.keys.items()}
            self.set_keymap({action: ",".join(keys) for action, keys in settings.keys.items()})
        self._palette: tuple[str, Palette] | None = None
        self.theme = self._choice.first(self.available_themes, no_color=self.no_color)
        self.theme_note = self._choice.note

    def get_default_screen(self) -> Screen[None]:
        """The main screen is the first one, so that no other is made before it."""
        return Main()

    def on_ready(self) -> None:
        """The first frame stands: what was made so far is kept out of the way of the collector."""
        gc.freeze()
        gc.enable()
        self.theme_changed_signal.subscribe(self, lambda theme: self._choice.keep(theme.name))

    @property
    def palette(self) -> Palette:
        """The styles of the theme that holds."""
        if self._palette is None or self._palette[0] != self.theme:
            made = Palette(self.theme_variables, ansi=self.native_ansi_color, attributes_only=self.no_color)
            self._palette = (self.theme, made)
        return self._palette[1]

    def other_brightness(self) -> None:
        """A dark theme after a light one, and the other way round."""
        self.theme = self._choice.other(self.current_theme)

    def write_to_terminal(self, sequence: str) -> None:
        """Hands a control sequence of our own to the terminal."""
        if self._driver is not None:
            self._driver.write(sequence)

    def action_command_palette(self) -> None:
        """Every action by name; on the main screen, since they are about what is selected there."""
        if isinstance(self.screen, Main):
            self.push_screen(PlainPalette(id="--command-palette"))

    def action_help_quit(self) -> None:
        """What ctrl+c says, in place of leaving."""
        key = self.keys.get("quit", BY_ID["quit"].shown)
        if isinstance(self.screen, Main):
            self.screen.say(f"{key} leaves the screen, and runs go on; s stops a run")
        else:
            self.notify(f"esc goes back; {key} on the main screen leaves", markup=False)

    def handle_bindings_clash(self, clashed_bindings: set[Binding], node: DOMNode) -> None:
        """A key of the person's that another action had: the person's holds."""

    def _fatal_error(self) -> None:
        """Leaves with the fault, which `run_app` raises once the terminal is given back; no traceback reaches it."""
        self.fault = self._exception
        self._close_messages_no_wait()

    def _watched(self) -> bool:
        from harness.lock import holder

        return holder(self.places.watch_lock) is not None


def _place(folder: str) -> str:
    return one_line(f"{socket.gethostname().partition('.')[0]}  {with_tilde(folder)}")
