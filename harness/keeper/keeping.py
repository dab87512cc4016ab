"""A keeper from its first moment: it starts the agent, keeps it, and leaves its last words."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import _socket
import os

from harness.keeper.agent import become_agent
from harness.keeper.dialogue import tell
from harness.keeper.keeper import Keeper, now_ms
from harness.keeper.order import KeeperOrder, receive
from harness.keeper.pipe import Pipe
from harness.keeper.prctl import become_subreaper
from harness.keeper.proc import start_ticks
from harness.keeper.tree import Tree


def keep(
    control: int,
    out_pipe: int,
    err_pipe: int,
    out_end: int,
    err_end: int,
    stdin: int,
    out_journal: int,
    err_journal: int,
) -> None:
    """Keeps one attempt until its `….exit` is written; returns early when it cannot be started.

    `control` is this end of the socket pair with the watch; the agent gets `stdin` and the two writing ends.
    """
    os.setsid()
    become_subreaper()
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)  # the zygote ignores it, and would hide how the agent ends
    watch = _socket.socket(fileno=control)
    given = receive(watch)
    if given is None:
        return
    reading, writing = os.pipe()
    keeper = os.getpid()
    try:
        agent = os.fork()  # before the rest, while most memory is still the zygote's and need not be copied twice
    except OSError as error:
        tell(watch, b"refused fork %d\n" % (error.errno or 0))
        return
    if agent == 0:
        become_agent(watch, keeper, writing, stdin, out_end, err_end)
    started_at = now_ms()
    tell(watch, b"kept %d\n" % keeper)
    for one in (writing, stdin, out_end, err_end):
        os.close(one)
    wakings = _wake_on_signals()
    problem = os.read(reading, 64)
    os.close(reading)
    if problem:
        tell(watch, b"refused %s\n" % problem)
        return
    tell(watch, b"started %d %d\n" % (agent, start_ticks(agent)))
    pipes = Pipe(out_pipe, out_journal), Pipe(err_pipe, err_journal)
    kept = Keeper(KeeperOrder(**given), Tree(agent), watch, wakings, *pipes)
    kept.see_through()
    kept.settle(started_at)


def _wake_on_signals() -> int:
    """A descriptor on which each SIGCHLD and SIGTERM is one byte, its number."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    for number in (_signal.SIGCHLD, _signal.SIGTERM):
        _signal.signal(number, lambda number, frame: None)
    _signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading
