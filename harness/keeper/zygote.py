"""The small warm process that keepers are forked from."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import _socket
import gc
import os
import sys

from harness.keeper.keeping import keep
from harness.keeper.prctl import become_subreaper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

DESCRIPTORS = 8
"""Of one attempt: the parameters of `keep`, in their order."""


def main(descriptor: int) -> None:
    """Forks keepers until the watch is gone. `descriptor` is this end of a socket pair; it is closed at the end."""
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGCHLD):
        _signal.signal(number, _signal.SIG_IGN)
    become_subreaper()
    os.chdir("/")
    os.set_inheritable(descriptor, False)
    watch = _socket.socket(fileno=descriptor)
    gc.disable()
    gc.freeze()
    while descriptors := _receive(watch):
        _fork_keeper(watch, descriptors)
        for one in descriptors:
            os.close(one)
    watch.close()


def _receive(watch: _socket.socket) -> list[int]:
    """The descriptors of the next attempt; none when the watch is gone."""
    try:
        content, ancillary, _, _ = watch.recvmsg(1, _socket.CMSG_SPACE(DESCRIPTORS * 4))
    except ConnectionError:
        return []
    if not content:
        return []
    ((_, _, packed),) = ancillary
    found = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
    for one in found:
        os.set_inheritable(one, False)
    return found


def _fork_keeper(watch: _socket.socket, descriptors: list[int]) -> None:
    try:
        child = os.fork()
    except OSError as problem:
        os.write(descriptors[0], b"refused fork %d\n" % (problem.errno or 0))
        return
    if child == 0:
        watch.close()
        _be_keeper(descriptors)


def _be_keeper(descriptors: list[int]) -> NoReturn:
    """Never returns into the zygote's loop, whatever happens."""
    status = 1
    try:
        keep(*descriptors)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)
