"""The keeper's side of the dialogue with the watch (see `harness.keeper`)."""

from __future__ import annotations

import _socket


def tell(watch: _socket.socket, line: bytes) -> None:
    """Tells the watch, if it is there; that it is not shows when it is next read from."""
    try:  # noqa: SIM105  # contextlib weighs too much here
        watch.sendall(line)
    except OSError:
        pass


def hear(watch: _socket.socket) -> bytes:
    """What the watch has said; nothing when it is gone."""
    try:
        return watch.recv(64)
    except ConnectionError:
        return b""
