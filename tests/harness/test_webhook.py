"""Posting an event to an address: what goes out, what counts as taken, and that it can be broken off at any moment."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import socket
import threading
import time
from pathlib import Path

import pytest

from harness.consumers.consumer import NotTaken
from harness.consumers.message import Message
from harness.consumers.webhook import Webhook, read_secret, signature
from tests.harness.receiver import HANGS, HANGS_UP, SENDS_DROPS, receiving

MESSAGE = Message(id="6b8j60ypq3vq0000", body=b'{"type":"run.finished"}')


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Where a secret would lie."""
    return tmp_path / "webhook.secret"


def take(address: str, secret: Path) -> None:
    asyncio.run(Webhook(address=address, secret=secret).take(MESSAGE))


def not_taken(address: str, secret: Path) -> NotTaken:
    with pytest.raises(NotTaken) as caught:
        take(address, secret)
    return caught.value


def test_what_goes_out(secret: Path) -> None:
    with receiving() as receiver:
        take(receiver.address, secret)
    (headers,) = receiver.headers
    assert receiver.bodies == [MESSAGE.body]
    assert headers["content-type"] == "application/json"
    assert headers["idempotency-key"] == headers["webhook-id"] == MESSAGE.id
    assert headers["user-agent"] == "midwatch"
    assert "webhook-signature" not in headers
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"  some words of mine\n", b"some words of mine"),
        (b"whsec_" + base64.b64encode(b"\x00\xffkey"), b"\x00\xffkey"),
    ],
)
def test_with_a_secret_it_is_signed(secret: Path, content: bytes, key: bytes) -> None:
    secret.write_bytes(content)
    secret.chmod(0o600)
    with receiving() as receiver:
        take(receiver.address, secret)
    (headers,) = receiver.headers
    signed = f"{MESSAGE.id}.{headers['webhook-timestamp']}.".encode() + MESSAGE.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60


def test_the_signature_is_the_one_of_the_public_example(secret: Path) -> None:
    """The example that the libraries of standardwebhooks.com are tested with."""
    secret.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    secret.chmod(0o600)
    key = read_secret(secret)
    assert key is not None
    message = Message(id="msg_p5jXN8AQM9LWM0D4loKWxJek", body=b'{"test": 2432232314}')
    assert signature(key, message, "1614265330") == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (b"secret", 0o644, "can be read by others; make it private with `chmod 600`"),
        (b"secret", 0o660, "can be read by others"),
        (b" \n", 0o600, "is empty"),
        (b"whsec_", 0o600, "is empty"),
        (b"whsec_?", 0o600, "is no base64"),
    ],
)
def test_a_secret_that_is_none_sends_nothing(secret: Path, content: bytes, mode: int, why: str) -> None:
    secret.write_bytes(content)
    secret.chmod(mode)
    with receiving() as receiver:
        assert why in str(not_taken(receiver.address, secret))
    assert receiver.bodies == []


@pytest.mark.parametrize("status", [301, 307, 400, 404, 410, 500, 503])
def test_anything_but_success_is_not_taken_and_no_redirect_is_followed(secret: Path, status: int) -> None:
    with receiving(status) as receiver:
        problem = not_taken(receiver.address, secret)
    assert str(problem) == f"127.0.0.1 answered {status}"
    assert len(receiver.bodies) == 1


def test_one_that_asks_for_time_gets_it(secret: Path) -> None:
    with receiving(429) as receiver:
        assert not_taken(receiver.address, secret).after == 120


def test_one_that_hangs_up_has_not_taken_it(secret: Path) -> None:
    with receiving(HANGS_UP) as receiver:
        assert "127.0.0.1 cannot be reached" in str(not_taken(receiver.address, secret))


def test_nobody_there(secret: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert str(not_taken(f"http://127.0.0.1:{port}/", secret)) == "127.0.0.1 cannot be reached: Connection refused"


@pytest.mark.parametrize("answer", [HANGS, SENDS_DROPS])
def test_it_can_be_broken_off_while_it_waits(secret: Path, answer: int) -> None:
    """A hanging receiver, and one that sends a byte now and then: no thread stays behind."""

    async def scenario(address: str) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await Webhook(address=address, secret=secret).take(MESSAGE)

    with receiving(answer) as receiver:
        asyncio.run(scenario(receiver.address))
        assert receiver.given_up.wait(10)
    deadline = time.monotonic() + 10
    while any(thread.name == "webhook" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "its thread is still there"
        time.sleep(0.01)


def test_a_name_and_password_in_the_address_sign_in(secret: Path) -> None:
    with receiving() as receiver:
        take(receiver.address.replace("127.0.0.1", "me:p%40ss@127.0.0.1"), secret)
    assert receiver.headers[0]["authorization"] == f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    assert receiver.headers[0]["host"].startswith("127.0.0.1")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://hooks.example.org/s3cret", "must be https:// for hooks.example.org; nothing was sent"),
        ("http://127.0.0.1.example.org/s3cret", "must be https://"),
        ("http:///s3cret", "names no host"),
        ("https://localhost:port/s3cret", "no address that can be posted to"),
        ("https://[::1/s3cret", "no address that can be posted to"),
        ("http://localhost/s3cret\x7f", "no address that can be posted to"),
    ],
)
def test_an_address_that_will_not_do_is_told_without_being_shown(secret: Path, address: str, why: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        listening = address.replace("localhost/", f"localhost:{server.getsockname()[1]}/")
        problem = str(not_taken(listening, secret))
    assert why in problem
    assert "s3cret" not in problem
    assert "s3cret" not in repr(Webhook(address=address, secret=secret))


def test_an_unknown_certificate_is_not_trusted(secret: Path) -> None:
    with receiving() as receiver:
        problem = not_taken(receiver.address.replace("http://", "https://"), secret)
    assert "127.0.0.1 cannot be reached" in str(problem)
    assert receiver.bodies == []
