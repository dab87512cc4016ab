"""Becoming the agent: exactly the program that was ordered, with what was ordered for it and nothing else."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import _socket
import errno
import os
import resource

from harness.keeper.order import AgentOrder, receive
from harness.keeper.prctl import die_with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


ORDER, FOLDER, PROGRAM = b"order", b"folder", b"program"
"""The steps at which it can fail."""


def become_agent(watch: _socket.socket, keeper: int, problem: int, stdin: int, out: int, err: int) -> NoReturn:
    """Turns this process, just forked by its keeper, into the program that the watch orders.

    `problem` is the end of a pipe: it closes by itself when the program runs, and gets `STEP ERRNO` when it cannot. No
    other descriptor of ours is inheritable.
    """
    step = ORDER
    try:
        os.setsid()
        die_with_parent()
        if os.getppid() != keeper:
            os._exit(127)
        given = receive(watch)
        if given is None:
            raise ConnectionResetError(errno.ECONNRESET, "the watch went before it had given its order")
        order = AgentOrder(**given)
        for target, one in enumerate((stdin, out, err)):
            os.dup2(one, target)
        step = FOLDER
        os.chdir(order.cwd)
        os.umask(order.umask)
        for kind, soft, hard in order.limits:
            _limit(kind, soft, hard)
        for number in _signal.valid_signals():
            if number not in (_signal.SIGKILL, _signal.SIGSTOP):
                _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        step = PROGRAM
        _execute(order.argv, order.env)
    except OSError as error:
        os.write(problem, b"%s %d" % (step, error.errno or 0))
    finally:
        os._exit(127)


def _limit(kind: int, soft: int, hard: int) -> None:
    """Sets one limit as far as this user may: a hard limit can be lowered, never raised."""
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):
        ours = resource.getrlimit(kind)[1]
        if ours != resource.RLIM_INFINITY:
            soft = ours if soft == resource.RLIM_INFINITY else min(soft, ours)
        try:  # noqa: SIM105  # contextlib weighs too much here
            resource.setrlimit(kind, (soft, ours))
        except (OSError, ValueError):
            pass  # not one that this system lets us set, so the agent keeps the watch's


def _execute(argv: tuple[bytes, ...], env: dict[bytes, bytes]) -> None:
    """Becomes the program, looked for as `execvp` does but on the PATH of the agent's environment. Raises `OSError`."""
    program = argv[0]
    if b"/" in program:
        os.execve(program, argv, env)
    problem: OSError = FileNotFoundError(errno.ENOENT, "not on the PATH")
    for folder in env.get(b"PATH", os.defpath.encode()).split(b":"):
        try:
            os.execve((folder or b".") + b"/" + program, argv, env)
        except PermissionError as denied:
            problem = denied
        except (FileNotFoundError, NotADirectoryError):
            pass
    raise problem
