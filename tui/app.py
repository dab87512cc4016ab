"""Opens the screen: what must be settled before Textual is imported, and what is left to say after it has closed."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from tui.errors import WrongUsage
from tui.statuses import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.settings import Settings
    from store.paths import Places

FRAMES_A_SECOND, FRAMES_FAR_AWAY = 30, 15


def run_app(places: Places) -> int:
    """Shows the screen until the person leaves; answers with the exit status.

    Raises `StoreError` when the record cannot or must not be read, `SettingsError` for settings that are not valid, and
    whatever went wrong inside, after the terminal has been given back.
    """
    gc.disable()  # until the first frame stands: nothing of what is made before that is garbage
    places.prepare()
    settings = _settings(places)
    far_away = bool(os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"))
    _prepare_textual(os.environ, far_away=far_away, motion=None if settings is None else settings.screen.motion)
    from harness.lock import Lock
    from tui.midwatch import Midwatch
    from tui.record_reader import RecordReader
    from tui.signals import leaving_on_signals

    RecordReader(places).check()
    looking = Lock(places.looking_lock)
    try:
        looking.take(shared=True)
        app = Midwatch(places, settings=settings, far_away=far_away)
        with leaving_on_signals(app):
            app.run(mouse=_mouse(settings, far_away=far_away))
        if app.fault is not None:
            raise app.fault
        return app.return_code or Status.OK
    finally:
        looking.close()


def _settings(places: Places) -> Settings | None:
    """The person's settings; `None` when there is no file, which is the usual case and costs no import."""
    if not os.path.lexists(places.settings):  # on the path to the first frame
        return None
    from harness.settings import load_settings
    from tui.actions import BY_ID

    settings = load_settings(places.settings)
    for action in settings.keys:
        if action not in BY_ID:
            from harness.nearest import quoted, suggestion

            raise WrongUsage(
                f"{places.settings}: [keys] has no action {quoted(action)}; {suggestion(action, list(BY_ID))}"
            )
    return settings


def _prepare_textual(environment: Mapping[str, str], *, far_away: bool, motion: bool | None) -> None:
    """Sets what Textual reads once, while it is imported; what the person set themselves holds."""
    assert "textual.constants" not in sys.modules or environment.get("TEXTUAL_FPS"), "Textual was imported too early"
    moves = motion if motion is not None else not far_away
    os.environ.setdefault("TEXTUAL_FPS", str(FRAMES_FAR_AWAY if far_away else FRAMES_A_SECOND))
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "basic" if moves else "none")
    os.environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "1" if moves else "0")


def _mouse(settings: Settings | None, *, far_away: bool) -> bool:
    """Over SSH the mouse is left to the terminal, whose own selection works then."""
    wanted = None if settings is None else settings.screen.mouse
    return wanted if wanted is not None else not far_away
