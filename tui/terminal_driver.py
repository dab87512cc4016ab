"""Textual's driver for Unix terminals, with the manners of a slow line: the least mouse mode, and a hang-up ends it.

Textual reports every movement of the mouse, ends in a traceback on a byte that is not UTF-8, and spins on a terminal
that is gone.
"""

from __future__ import annotations

import os
import select
from codecs import getincrementaldecoder

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from tui.app import HUNG_UP

_TICK_S = 0.1


class TerminalDriver(LinuxDriver):
    """Clicks, releases and the wheel; movement only while a button is held."""

    def _enable_mouse_support(self) -> None:
        if self._mouse:
            self.write("\x1b[?1000h\x1b[?1002h\x1b[?1006h")
            self.flush()

    def _disable_mouse_support(self) -> None:
        if self._mouse:
            self.write("\x1b[?1006l\x1b[?1002l\x1b[?1000l")
            self.flush()

    def _enable_mouse_pixels(self) -> None:
        """Never: a cell is as fine as it has to be."""

    def run_input_thread(self) -> None:
        """Reads keys until the app leaves; a terminal that is gone ends the app, and no run."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            try:
                ready, _, _ = select.select([self.fileno], [], [], _TICK_S)
                data = os.read(self.fileno, 4096) if ready else None
            except OSError:
                data = b""
            if data == b"":
                self._app.call_later(self._app.exit, return_code=HUNG_UP)
                return
            if data is not None:
                for message in parser.feed(decode(data)):
                    self.process_message(message)
            for message in parser.tick():
                self.process_message(message)
