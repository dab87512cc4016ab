"""A full disk makes what is to be written wait; it fails nobody (E9 does, should it last too long)."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import TypeVar

from harness.at_work import AtWork

ROOM_AGAIN_S = 1.0
_Result = TypeVar("_Result")


async def when_there_is_room(work: AtWork, write: Callable[[], _Result]) -> _Result:
    """What `write` gives, done in a thread, and done again as long as it fails for want of room on the disk.

    Raises what it raises otherwise, and `OSError` for a full disk once the attempt has been asked to end.
    """
    while True:
        try:
            return await asyncio.to_thread(write)
        except OSError as problem:
            if not is_full(problem) or work.asked is not None:
                raise
        await asyncio.sleep(ROOM_AGAIN_S)


def is_full(problem: OSError) -> bool:
    """Whether there was no room, on the disk or for this user."""
    return problem.errno in (errno.ENOSPC, errno.EDQUOT)
