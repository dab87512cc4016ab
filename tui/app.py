"""Opens the screen: what must be settled before Textual is imported, and what is left to say after it has closed."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tui.errors import WrongUsage
from tui.statuses import Status

if TYPE_CHECKING:
    from harness.settings import Settings
    from store.paths import Places

FRAMES_A_SECOND, FRAMES_FAR_AWAY = 30, 15
HUNG_UP = 129
IN_BROWSER = "TEXTUAL_DRIVER"
"""Set by the web server for the process behind one browser; there is no terminal then."""


def run_app(places: Places) -> int:
    """Shows the screen until the person leaves; answers with the exit status.

    Raises `StoreError` when the record cannot or must not be read, `SettingsError` for settings that are not valid, and
    whatever went wrong inside, after the terminal has been given back.
    """
    gc.disable()  # until the first frame stands: nothing of what is made before that is garbage
    places.prepare()
    settings = _settings(places)
    far_away = bool(os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"))
    with _textual_told(far_away=far_away, motion=None if settings is None else settings.screen.motion):
        from tui.midwatch import Midwatch
    from harness.lock import Lock
    from tui.record_reader import RecordReader
    from tui.signals import leaving_on_signals

    RecordReader(places).check()
    looking = Lock(places.looking_lock)
    try:
        looking.take(shared=True)
        app = Midwatch(places, settings=settings, far_away=far_away)
        with leaving_on_signals(app):
            app.run(mouse=_mouse(settings, far_away=far_away))
        if app.return_code == HUNG_UP:
            _let_go_of_the_terminal()
        if app.fault is not None:
            raise app.fault
        return app.return_code or Status.OK
    finally:
        looking.close()


def _let_go_of_the_terminal() -> None:
    """What is buffered for a terminal that is gone goes nowhere, or Python would leave with a status of its own."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (sys.stdin, sys.stdout, sys.stderr):
        os.dup2(nowhere, descriptor.fileno())
    os.close(nowhere)


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


@contextmanager
def _textual_told(*, far_away: bool, motion: bool | None) -> Iterator[None]:
    """Sets what Textual reads once, while it is imported, and takes it back: agents get the person's environment (R20).

    What the person set themselves holds.
    """
    moves = motion if motion is not None else not far_away
    wanted = {
        "TEXTUAL_FPS": str(FRAMES_FAR_AWAY if far_away else FRAMES_A_SECOND),
        "TEXTUAL_ANIMATIONS": "basic" if moves else "none",
        "TEXTUAL_SMOOTH_SCROLL": "1" if moves else "0",
    }
    added = [name for name in wanted if name not in os.environ]
    os.environ.update({name: wanted[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _mouse(settings: Settings | None, *, far_away: bool) -> bool:
    """Over SSH the mouse is left to the terminal, whose own selection works then."""
    wanted = None if settings is None else settings.screen.mouse
    return wanted if wanted is not None else not far_away
