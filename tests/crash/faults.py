"""Counts what a process does to the world outside it, and kills it at a chosen one: the places where a crash shows.

Each commit, each file made, moved or removed, each write, splice and sync is two points, one just before and one just
after; each fork, and each step of a migration, is one. Imports next to nothing, since a keeper does not either. `arm`
is inherited by forked children, which count on from where their parent was.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NAMED = frozenset(
    {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.fork", "subprocess.Popen"}
)
_DONE = ("write", "pwrite", "fsync", "splice")
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_UNSEEN = ("/dev/", "/proc/")  # neither is a file that only says who looks, opened at every look
_write = os.write


class Faults:
    """The points of this process. `number` is the one at which it dies, 0 for none; each is a line of `log`."""

    def __init__(self, number: int, log: int) -> None:
        self._number = number
        self._log = log
        self._passed = 0

    def arm(self) -> None:
        """From now on every point counts."""
        sys.addaudithook(self._heard)
        for name in _DONE:
            if hasattr(os, name):
                setattr(os, name, self.around(name, getattr(os, name)))

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work` with a point before it and one after it."""

        def both(*given: Any, **named: Any) -> Any:
            self.pass_by(name)
            found = work(*given, **named)
            self.pass_by(f"{name} done")
            return found

        return both

    def pass_by(self, name: str) -> None:
        """One point; at the chosen one there is no return."""
        self._passed += 1
        _write(self._log, b"%d %d %s\n" % (os.getpid(), self._passed, name.encode()))
        if self._passed == self._number:
            os.kill(os.getpid(), 9)

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = given
            to_write = isinstance(flags, int) and flags & _TO_WRITE
            if to_write and not str(path).startswith(_UNSEEN) and not str(path).endswith("looking.lock"):
                self.pass_by(f"open {path!s}")
        elif event in _NAMED:
            self.pass_by(f"{event} {given[0] if given else ''!s}")
