"""The screen behind a web server, each browser with a process of its own, let in by a key and from its own page only.

textual-serve lets in whoever reaches the port. On a shared box that is every user of it, and any page that a browser
has open may talk to a port of its machine.
"""

from __future__ import annotations

import hmac
import secrets
import shlex
import socket
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from tui.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_COOKIE = "midwatch"
_KEY = "key"


class Web(Server):
    """A server of the screen; `address` opens it, once in each browser."""

    def __init__(self, host: str, port: int) -> None:
        command = shlex.join([sys.executable, "-m", "tui"])
        super().__init__(command, host=host, port=port, title="midwatch")
        self._secret = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What a person opens."""
        return f"{self.public_url}/?{_KEY}={self._secret}"

    def serve(self, debug: bool = False) -> None:
        """Serves until it is interrupted. Raises `Refused` when the port cannot be had."""
        try:
            family, kind, protocol, _, where = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(where)
        except OSError as problem:
            raise Refused(
                f"cannot listen on {self.host}:{self.port}: {problem.strerror}; choose another with --port"
            ) from problem
        super().serve(debug)

    async def on_startup(self, app: web.Application) -> None:
        """Says nothing: the command has said where it is."""

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._let_in())
        return app

    def _let_in(self) -> Callable[..., Awaitable[web.StreamResponse]]:
        @web.middleware
        async def middleware(
            request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
        ) -> web.StreamResponse:
            if request.path == "/" and self._is_key(request.query.get(_KEY, "")):
                response = web.HTTPFound("/")
                response.set_cookie(_COOKIE, self._secret, httponly=True, samesite="Strict")
                return response
            origin = request.headers.get("Origin")
            if origin is not None and urlsplit(origin).netloc != request.host:
                raise web.HTTPForbidden(text="midwatch answers only its own page\n")
            if not self._is_key(request.cookies.get(_COOKIE, "")):
                raise web.HTTPForbidden(text="open the address that `midwatch serve` printed, with its key\n")
            return await handler(request)

        return middleware

    def _is_key(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._secret.encode())
