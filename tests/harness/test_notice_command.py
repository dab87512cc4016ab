"""A program of the person's for each event: what it is given, when it has taken it, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.consumers.consumer import NotTaken
from harness.consumers.message import Message
from harness.consumers.notice_command import NoticeCommand

MESSAGE = Message(id="6b8j60ypq3vq0000", body=b'{"type":"run.finished"}' + b" " * 200_000)


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import os, signal, subprocess, sys, time, json\n{text}")


def take(*argv: str) -> None:
    asyncio.run(NoticeCommand(argv=argv).take(MESSAGE))


def why_not(*argv: str) -> str:
    with pytest.raises(NotTaken) as caught:
        take(*argv)
    return str(caught.value)


def until(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + 20
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} has not come true"
        time.sleep(0.01)
    return found


def test_it_is_given_the_event_and_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDWATCH_HOME", "/some/home")
    given = tmp_path / "given"
    facts = "{'event': os.environ['MIDWATCH_EVENT_ID'], 'home': os.environ['MIDWATCH_HOME'], 'in': sys.stdin.read()}"
    take(*program(f"open({str(given)!r}, 'w').write(json.dumps({facts}))"))
    assert json.loads(given.read_text()) == {
        "event": MESSAGE.id,
        "home": "/some/home",
        "in": MESSAGE.body.decode(),
    }


def test_it_need_not_read_it() -> None:
    take(*program("pass"))
    take(*program("os.close(0)"))


def test_what_it_leaves_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    take(*program(f"one = subprocess.Popen(['sleep', '60']); open({str(pid)!r}, 'w').write(str(one.pid))"))
    os.kill(int(pid.read_text()), 9)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("sys.exit(3)", "ended with status 3"),
        (
            "print('on the way', file=sys.stderr); sys.exit('no such \\x1b[2J channel')",
            r"status 1: no such \x1b[2J channel",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended with signal 9"),
        ("sys.stderr.write('x' * 1_000_000 + '\\nat last\\n'); sys.exit(1)", "status 1: at last"),
    ],
)
def test_any_other_end_than_success_says_how(text: str, how: str) -> None:
    assert how in why_not(*program(text))


@pytest.mark.parametrize(
    ("argv", "how"),
    [
        ("/no/such/program", "'/no/such/program' cannot be started: No such file or directory"),
        ("/", "'/' cannot be started: Permission denied"),
        ("a\0b", r"'a\x00b' cannot be started: embedded null byte"),
    ],
)
def test_one_that_cannot_be_started_says_why(argv: str, how: str) -> None:
    assert why_not(argv) == how


def test_one_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    text = f"""
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(['sleep', '60'])
open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}\\n')
time.sleep(60)
"""

    async def scenario() -> None:
        taking = asyncio.ensure_future(NoticeCommand(argv=program(text)).take(MESSAGE))
        while not (pids.exists() and pids.read_text().endswith("\n")):
            assert not taking.done()
            await asyncio.sleep(0.01)
        taking.cancel()
        await asyncio.wait([taking])
        assert taking.cancelled()

    asyncio.run(asyncio.wait_for(scenario(), 60))
    for pid in pids.read_text().split():
        until(lambda pid=pid: gone(int(pid)), f"the end of {pid}")


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_one_that_is_unwanted_before_it_runs_is_ended_too(tmp_path: Path) -> None:
    began = tmp_path / "began"

    async def scenario() -> None:
        taking = asyncio.ensure_future(
            NoticeCommand(argv=program(f"time.sleep(1); open({str(began)!r}, 'w')")).take(MESSAGE)
        )
        await asyncio.sleep(0)
        taking.cancel()
        await asyncio.wait([taking])

    asyncio.run(scenario())
    until(lambda: all(one.name != "notice command" for one in threading.enumerate()), "its end")
    assert not began.exists()
