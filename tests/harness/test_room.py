"""What a full disk keeps from being written is written when there is room, unless it was asked to end meanwhile."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from harness import full_disk
from harness.agents import adapter
from harness.at_work import AtWork, reading_of
from harness.attempt_files import attempt_files
from harness.full_disk import when_there_is_room
from store.model import Reason, Role
from store.paths import Places
from store.plan import PlannedAgent

FULL = OSError(errno.ENOSPC, "No space left on device")
NOT_OURS = OSError(errno.EACCES, "Permission denied")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AtWork:
    places = Places.of_environment({"MIDWATCH_HOME": str(tmp_path)})
    monkeypatch.setattr(full_disk, "ROOM_AGAIN_S", 0.01)
    planned, chosen = PlannedAgent(name="a", role=Role.DEVELOPER, cli="command"), adapter("command")
    return AtWork(
        run="r",
        planned=planned,
        adapter=chosen,
        attempt=1,
        attempt_id="x",
        reading=reading_of("r", planned, chosen, 1, "x", files=attempt_files(places, "r", "a", 1)),
    )


def test_it_is_tried_until_there_is_room(work: AtWork) -> None:
    problems = [FULL, OSError(errno.EDQUOT, "Disk quota exceeded")]

    def write() -> str:
        if problems:
            raise problems.pop()
        return "written"

    assert asyncio.run(when_there_is_room(work, write)) == "written"


def test_what_no_room_would_help_is_told_at_once(work: AtWork) -> None:
    def write() -> None:
        raise NOT_OURS

    with pytest.raises(PermissionError):
        asyncio.run(when_there_is_room(work, write))


def test_an_attempt_that_is_to_end_waits_for_no_room(work: AtWork) -> None:
    tried = 0

    def write() -> None:
        nonlocal tried
        tried += 1
        if tried == 3:
            work.asked = Reason.OPERATOR
        raise FULL

    with pytest.raises(OSError, match="No space left"):
        asyncio.run(when_there_is_room(work, write))
    assert tried == 3
