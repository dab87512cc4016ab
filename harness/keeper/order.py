"""What a keeper is told about its attempt."""

from __future__ import annotations

import _socket
import marshal
import sys


class KeeperOrder:
    """One attempt as its keeper needs it; every text in the bytes that the system takes."""

    def __init__(
        self,
        *,
        argv: tuple[bytes, ...],
        env: dict[bytes, bytes],
        cwd: bytes,
        umask: int,
        limits: tuple[tuple[int, int, int], ...],
        exit: bytes,  # noqa: A002  # the noun of the domain
        finish: bool,
        timeout: float | None,
        output_limit: int | None,
        boot: str,
    ) -> None:
        self.argv = argv
        self.env = env
        """All of it: the agent inherits no variable."""
        self.cwd = cwd
        self.umask = umask
        self.limits = limits
        """Resource, soft, hard."""
        self.exit = exit
        """Path of `….exit`."""
        self.finish = finish
        """Let the agent finish when the watch is gone (R19); the two limits below are the keeper's only then."""
        self.timeout = timeout
        """Seconds from the start."""
        self.output_limit = output_limit
        """Bytes of both journals together."""
        self.boot = boot

    def encode(self) -> bytes:
        """As it goes over the socket. Both ends are the same interpreter, which is what marshal asks for."""
        content = marshal.dumps(self.__dict__)
        return len(content).to_bytes(8, sys.byteorder) + content


def receive_order(watch: _socket.socket) -> KeeperOrder | None:
    """The order, or `None` when the watch went before it had given one."""
    size = _receive(watch, 8)
    content = _receive(watch, int.from_bytes(size, sys.byteorder)) if size else b""
    return KeeperOrder(**marshal.loads(content)) if content else None


def _receive(watch: _socket.socket, size: int) -> bytes:
    """Exactly `size` bytes, or none when the other end closed before that."""
    content = b""
    while len(content) < size:
        try:
            more = watch.recv(size - len(content))
        except ConnectionError:
            return b""
        if not more:
            return b""
        content += more
    return content
