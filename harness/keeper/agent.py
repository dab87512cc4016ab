"""Starting the agent: fork, then become exactly the program that was ordered."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import errno
import os
import resource

from harness.keeper.order import KeeperOrder
from harness.keeper.prctl import die_with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


OURS = (_signal.SIGCHLD, _signal.SIGTERM)
"""The signals that a keeper handles."""


def fork_agent(order: KeeperOrder, stdin: int, out: int, err: int) -> tuple[int, bytes]:
    """The pid of the agent, its program running; or 0 and `STEP ERRNO` of what stood in the way.

    Steps: fork, folder, program.
    """
    reading, writing = os.pipe()  # not inheritable: closes by itself when the program runs
    keeper = os.getpid()
    _signal.pthread_sigmask(_signal.SIG_BLOCK, OURS)  # until the child has none of our handlers
    try:
        agent = os.fork()
    except OSError as problem:
        return 0, b"fork %d" % (problem.errno or 0)
    if agent == 0:
        _become_agent(order, keeper, writing, (stdin, out, err))
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    os.close(writing)
    problem_told = os.read(reading, 64)
    os.close(reading)
    if problem_told:
        os.waitpid(agent, 0)
        return 0, problem_told
    return agent, b""


def _become_agent(order: KeeperOrder, keeper: int, writing: int, standard: tuple[int, int, int]) -> NoReturn:
    step = b"fork"
    try:
        os.setsid()
        die_with_parent()
        if os.getppid() != keeper:
            os._exit(127)
        for target, one in enumerate(standard):
            os.dup2(one, target)
        step = b"folder"
        os.chdir(order.cwd)
        os.umask(order.umask)
        for kind, soft, hard in order.limits:
            _limit(kind, soft, hard)
        _signal.set_wakeup_fd(-1)
        for number in _signal.valid_signals():
            if number not in (_signal.SIGKILL, _signal.SIGSTOP):
                _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        step = b"program"
        _execute(order.argv, order.env)
    except OSError as problem:
        os.write(writing, b"%s %d" % (step, problem.errno or 0))
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
