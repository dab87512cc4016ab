"""`[notices] webhook`: each event is posted to an address as JSON, over HTTPS (plain HTTP only to this machine).

Anything but a 2xx answer is tried again; redirects are not followed. `Idempotency-Key` and `webhook-id` carry the
event's id: the same event may come twice. With a file `webhook.secret` beside `config.toml` (mode 0600; any text, or
`whsec_` and base64) each request is signed, as standardwebhooks.com has it: `webhook-signature: v1,` and the base64 of
the HMAC-SHA256, under that secret, of `ID.TIMESTAMP.BODY`, the first two being the headers `webhook-id` and
`webhook-timestamp` (seconds).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import SplitResult, unquote, urlsplit

from harness.consumers.consumer import NotTaken
from harness.consumers.message import NOTICED, Message
from harness.nearest import harmless
from harness.own_thread import in_own_thread

if TYPE_CHECKING:
    from http.client import HTTPConnection

_SILENCE_S = 10.0
_LONGEST_WAIT_S = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """Posts each message to `address`, which may hold a secret itself and so is never shown."""

    name: ClassVar[str] = "webhook"
    types: ClassVar[frozenset[str]] = NOTICED
    address: str = field(repr=False)
    secret: Path
    timeout: float = 15.0

    async def take(self, message: Message) -> None:
        """Returns when the address answered with a 2xx status."""
        post = _Post(self.address, self.secret, message)
        try:
            await in_own_thread(post.send, name="webhook")
        finally:
            post.break_off()


class _Post:
    """One request; `send` in a thread, `break_off` from anywhere."""

    def __init__(self, address: str, secret: Path, message: Message) -> None:
        self._address = address
        self._secret = secret
        self._message = message
        self._connection: HTTPConnection | None = None
        self._unwanted = False

    def send(self) -> None:
        """Returns at a 2xx answer; raises `NotTaken`."""
        import http.client

        parts = _parts(self._address)
        where = harmless(parts.hostname)
        headers = self._headers(parts)
        connection = self._connection = _connection(parts)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.connect()
            if self._unwanted:
                return
            connection.request("POST", target, self._message.body, headers)
            with connection.getresponse() as answer:
                status, after = answer.status, answer.headers.get("Retry-After", "")
        except http.client.InvalidURL as problem:  # its text has the address in it
            raise NotTaken("`webhook` of [notices] is no address that can be posted to") from problem
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise NotTaken(f"{where} cannot be reached: {_words(problem)}") from problem
        finally:
            connection.close()
        if not 200 <= status < 300:
            wait = min(float(after), _LONGEST_WAIT_S) if after.isdecimal() else 0.0
            raise NotTaken(f"{where} answered {status}", after=wait)

    def _headers(self, parts: SplitResult) -> dict[str, str]:
        moment = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "midwatch",
            "Idempotency-Key": self._message.id,
            "webhook-id": self._message.id,
            "webhook-timestamp": moment,
        }
        key = read_secret(self._secret)
        if key is not None:
            headers["webhook-signature"] = signature(key, self._message, moment)
        if parts.username is not None:
            credential = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(credential.encode()).decode()}"
        return headers

    def break_off(self) -> None:
        """Wakes the thread that waits for the other side; harmless after the end."""
        self._unwanted = True
        open_socket: socket.socket | None = None if self._connection is None else self._connection.sock
        if open_socket is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)


def signature(key: bytes, message: Message, moment: str) -> str:
    """The `webhook-signature` of a message sent at `moment` (seconds since 1970, as the header has it)."""
    signed = f"{message.id}.{moment}.".encode() + message.body
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def read_secret(path: Path) -> bytes | None:
    """The key in that file, `None` when there is no file. Raises `NotTaken` when it is empty, or others can read it."""
    try:
        with path.open("rb") as file:
            open_to_others = os.fstat(file.fileno()).st_mode & 0o077
            content = file.read(4096).strip()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise NotTaken(f"{path} cannot be read: {problem.strerror}") from problem
    if open_to_others:
        raise NotTaken(f"{path} can be read by others; make it private with `chmod 600`")
    key = content
    if content.startswith(b"whsec_"):
        try:
            key = base64.b64decode(content.removeprefix(b"whsec_"), validate=True)
        except ValueError as problem:
            raise NotTaken(f"what follows `whsec_` in {path} is no base64") from problem
    if not key:
        raise NotTaken(f"{path} is empty; write a secret into it, or delete it")
    return key


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises for one that is no number
    except ValueError as problem:
        raise NotTaken("`webhook` of [notices] is no address that can be posted to") from problem
    if not parts.hostname:
        raise NotTaken("`webhook` of [notices] names no host")
    if parts.scheme != "https" and not _is_this_machine(parts.hostname):
        raise NotTaken(f"`webhook` of [notices] must be https:// for {harmless(parts.hostname)}; nothing was sent")
    return parts


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _connection(parts: SplitResult) -> HTTPConnection:
    import http.client

    host = parts.hostname or ""
    if parts.scheme != "https":
        return http.client.HTTPConnection(host, parts.port, timeout=_SILENCE_S)
    import ssl

    return http.client.HTTPSConnection(host, parts.port, timeout=_SILENCE_S, context=ssl.create_default_context())


def _words(problem: Exception) -> str:
    return harmless(getattr(problem, "strerror", None) or str(problem) or type(problem).__name__)
