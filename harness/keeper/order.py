"""What is ordered for one attempt, in two parts: first what its keeper must know, then what becomes the agent."""

from __future__ import annotations

import _socket
import marshal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class AgentOrder:
    """What the agent becomes. Only the process that becomes it reads this, so that no keeper has its environment."""

    def __init__(
        self,
        *,
        argv: tuple[bytes, ...],
        env: dict[bytes, bytes],
        cwd: bytes,
        umask: int,
        limits: tuple[tuple[int, int, int], ...],
    ) -> None:
        self.argv = argv
        self.env = env
        """All of it: the agent inherits no variable."""
        self.cwd = cwd
        self.umask = umask
        self.limits = limits
        """Resource, soft, hard."""


class KeeperOrder:
    """What its keeper has to know."""

    def __init__(
        self,
        *,
        exit: bytes,  # noqa: A002  # the noun of the domain
        finish: bool,
        timeout: float | None,
        output_limit: int | None,
        boot: str,
    ) -> None:
        self.exit = exit
        """Path of `….exit`."""
        self.finish = finish
        """Let the agent finish when the watch is gone (R19); the two limits below are the keeper's only then."""
        self.timeout = timeout
        """Seconds from the start."""
        self.output_limit = output_limit
        """Bytes of both journals together."""
        self.boot = boot


def encode(order: AgentOrder | KeeperOrder) -> bytes:
    """One part as it goes over the socket. Both ends are the same interpreter, which is what marshal asks for."""
    content = marshal.dumps(order.__dict__)
    return len(content).to_bytes(8, sys.byteorder) + content


def receive(watch: _socket.socket) -> dict[str, Any] | None:
    """The next part, or `None` when the watch went before it had given it."""
    size = _exactly(watch, 8)
    content = _exactly(watch, int.from_bytes(size, sys.byteorder)) if size else b""
    return marshal.loads(content) if content else None


def _exactly(watch: _socket.socket, size: int) -> bytes:
    """So many bytes, or none when the other end closed before that."""
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
