"""The watch's side of the dialogue with one keeper (see `harness.keeper`)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable


class Dialogue:
    """Hears a keeper's words, and says things without waiting for it."""

    def __init__(
        self, control: socket.socket, *, heard: Callable[[bytes, list[bytes]], None], ended: Callable[[], None]
    ) -> None:
        """`heard` gets a word and what was said with it; `ended` is called once when the keeper's end has closed."""
        self._loop = asyncio.get_running_loop()
        self._control = control
        self._heard = heard
        self._ended = ended
        self._unsaid = bytearray()
        self._unheard = b""
        self.open = True
        self._loop.add_reader(control, self._hear)

    def say(self, content: bytes) -> None:
        """Says it now, or as soon as the keeper takes it; to a keeper that is gone, never."""
        if self.open:
            self._unsaid += content
            self._send()

    def close(self) -> None:
        """Ends it from this side; nothing more is heard. For the keeper it means that the watch is gone."""
        if self.open:
            self.open = False
            self._loop.remove_reader(self._control)
            self._loop.remove_writer(self._control)
            self._control.close()

    def _send(self) -> None:
        try:
            sent = self._control.send(self._unsaid)
        except BlockingIOError:
            sent = 0
        except OSError:  # it is gone, which is heard where it is listened to
            sent = len(self._unsaid)
        del self._unsaid[:sent]
        if self._unsaid:
            self._loop.add_writer(self._control, self._send)
        else:
            self._loop.remove_writer(self._control)

    def _hear(self) -> None:
        try:
            content = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        *lines, self._unheard = (self._unheard + content).split(b"\n")
        for line in lines:
            word, *rest = line.split(b" ")
            self._heard(word, rest)
        if not content and self.open:
            self.close()
            self._ended()
