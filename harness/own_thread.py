"""Work in a thread that nobody has to wait for.

`asyncio.to_thread` is for what ends soon: leaving the event loop waits for it. A name look-up or a program may not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

_Result = TypeVar("_Result")


async def in_own_thread(work: Callable[[], _Result], *, name: str) -> _Result:
    """What `work` gives; raises what it raises. When cancelled, the thread goes on by itself and nobody hears of it."""
    promise: Future[_Result] = Future()
    threading.Thread(target=lambda: fulfil(promise, work), name=name, daemon=True).start()
    return await asyncio.wrap_future(promise)


def fulfil(promise: Future[_Result], work: Callable[[], _Result]) -> None:
    """Does the work and promises what it gives or raises; where nobody waits any more, it is done all the same."""
    try:
        result = work()
    except BaseException as error:
        with suppress(InvalidStateError):
            promise.set_exception(error)
    else:
        with suppress(InvalidStateError):
            promise.set_result(result)
