"""Why an agent could not be started, as a sentence."""

from __future__ import annotations

import errno
import os
import shutil

from harness.attempt_order import Order


def refusal(order: Order, step: str, number: int) -> str:
    """The sentence for an error of the system at one step of starting it: fork, folder or program."""
    why = os.strerror(number)
    if step == "folder":
        return _folder(order.cwd, number, why)
    if step == "program":
        return _program(order, number, why)
    return f"no process could be started for it: {why}; something holds all the processes or memory it may have"


def unopened(problem: OSError) -> str:
    """The sentence for a file of the attempt that could not be opened."""
    if problem.errno == errno.EEXIST:
        return f"its journal {problem.filename} is already there: an attempt is launched once"
    if problem.errno in (errno.EMFILE, errno.ENFILE):
        return "no more files can be opened: raise the limit of open files (`ulimit -n`) or lower `parallel`"
    return f"its files could not be opened: {problem.strerror or problem} ({problem.filename})"


def keeper_lost_at_start() -> str:
    """The sentence for a keeper that ended before it could say that the program runs."""
    return "its keeper ended before the program had started; the watch's log may say why"


def _folder(folder: str, number: int, why: str) -> str:
    if number in (errno.ENOENT, errno.ENOTDIR):
        return f"its folder {folder} does not exist any more; make it again, or launch from another"
    if number == errno.EACCES:
        return f"its folder {folder} may not be entered by this user; change its mode, or launch from another"
    return f"its folder {folder} cannot be entered: {why}"


def _program(order: Order, number: int, why: str) -> str:
    program = order.argv[0]
    named = os.path.join(order.cwd, program) if "/" in program else program  # noqa: PTH118  # Path drops a './'
    found = shutil.which(named, mode=os.F_OK, path=order.env.get("PATH", os.defpath))
    if number == errno.ENOENT:
        if found is not None:
            return f"the program {found} is there, but what its first line names to run it (#!) is not; install that"
        if "/" in program:
            return f"the program {program} does not exist; install it, or correct its path"
        return f"the program '{program}' is not on the launching terminal's PATH; install it, or name its full path"
    if number == errno.EACCES:
        return f"the program {found or program} may not be executed by this user; `chmod +x` it, or name another"
    if number == errno.ENOEXEC:
        return f"the program {found or program} is nothing this system can run; a script needs a first line with #!"
    if number == errno.E2BIG:
        return f"the arguments and environment of '{program}' are longer than this system takes; hand over less in them"
    return f"the program {found or program} cannot be run: {why}"
