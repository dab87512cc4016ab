"""A real HTTP server on this machine that a webhook can be pointed at."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HANGS = 0
SENDS_DROPS = -1
HANGS_UP = -2


@dataclass
class Receiver:
    """What came, and what is answered: these statuses in turn, then 204 for ever."""

    port: int
    answers: list[int] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    given_up: threading.Event = field(default_factory=threading.Event)
    """Set when the other side hung up on an answer that did not come."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?from=midwatch"

    @property
    def events(self) -> list[str]:
        """The ids of the events that came, as their keys of idempotency say."""
        return [one["idempotency-key"] for one in self.headers]

    def body(self, index: int = -1) -> Any:
        return json.loads(self.bodies[index])


@contextmanager
def receiving(*answers: int) -> Iterator[Receiver]:
    """A receiver that answers so."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            receiver.bodies.append(body)
            status = receiver.answers.pop(0) if receiver.answers else 204
            if status == HANGS_UP:
                self.close_connection = True
                return
            if status in (HANGS, SENDS_DROPS):
                self._never_answer(drops=status == SENDS_DROPS)
                return
            self.send_response(status)
            if status in (301, 307):
                self.send_header("Location", "/elsewhere")
            if status == 429:
                self.send_header("Retry-After", "120")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _never_answer(self, *, drops: bool) -> None:
            self.close_connection = True
            self.connection.settimeout(0.02)
            deadline = time.monotonic() + 60
            while not closing.is_set() and time.monotonic() < deadline:
                try:
                    if drops:
                        self.connection.sendall(b"H")
                    if self.connection.recv(1) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            receiver.given_up.set()

        def log_message(self, format: str, *args: Sequence[object]) -> None:  # noqa: A002  # of the base class
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(port=server.server_address[1], answers=list(answers))
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    try:
        yield receiver
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
