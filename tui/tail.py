"""Reading on in the output of one attempt while it is looked at, in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tui.transcript import Transcript

TICK_S = 0.1
SILENT_TICK_S = 0.25
_SILENT_AFTER = 20  # looks without anything new
TELL_EVERY_S = 0.25


class Tail:
    """Grows a transcript and calls `tell` when there is more: at once after a silence, else four times a second.

    `ended`: the attempt is over, so it is read to its end and then left alone.
    """

    def __init__(self, transcript: Transcript, tell: Callable[[Tail], object], *, ended: bool) -> None:
        self.transcript = transcript
        self.trouble = ""
        """Why it cannot be read, if that is so."""
        self.settled = threading.Event()
        """Set when there is nothing more to read for now."""
        self.ended = ended
        self._tell = tell
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="midwatch-tail", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Reads no more, and lets the files go once the last look is over."""
        self._stop.set()

    def _run(self) -> None:
        told = 0.0
        untold = False
        silent = 0
        while not self._stop.is_set():
            ended = self.ended  # before the look: what it wrote last was written before it ended
            try:
                grown = self.transcript.grow()
            except OSError as error:
                self.trouble = f"its output cannot be read: {error.strerror}"
                break
            untold = untold or grown
            if not grown and ended:
                self.transcript.finish()
                break
            if untold and (not grown or time.monotonic() - told >= TELL_EVERY_S) and time.monotonic() - told >= TICK_S:
                told, untold = time.monotonic(), False
                self._tell(self)
            silent = 0 if grown else silent + 1
            if not grown:
                self.settled.set()
                self._stop.wait(SILENT_TICK_S if silent > _SILENT_AFTER else TICK_S)
        if not self._stop.is_set():
            self._tell(self)
            self.settled.set()
            self._stop.wait()
        self.transcript.close()
