"""What is to be launched, and how, for one attempt."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.identity import this_boot
from harness.keeper.order import AgentOrder, KeeperOrder, encode

_AS_THE_SYSTEM = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One attempt. Nothing of it is inherited from the watch: what is not named here the agent does not get (R20)."""

    mark: str
    """`RECORD/ATTEMPT`; its environment carries it too."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """All of it; the program is looked for on its `PATH`."""
    cwd: str
    umask: int
    limits: tuple[tuple[int, int, int], ...]
    """Resource, soft, hard, as in `resource.setrlimit`. A hard limit above the watch's own is cut to that."""
    stdin: Path
    """A file that is its standard input."""
    out: Path
    """Journal of its standard output; must not be there yet. `err` likewise."""
    err: Path
    exit: Path
    """Where its keeper writes how it ended."""
    finish: bool = False
    """Let it finish when the watch dies (R19); only then do timeout and output limit below end it."""
    timeout: float | None = None
    """Seconds; while the watch lives, timing out is the conductor's."""
    output_limit: int | None = None
    """Bytes of both journals. Past it the agent waits on its pipes; while the watch lives, the conductor ends it."""
    lines: bool = True
    """Whether its standard output is read back and given as lines."""

    def for_keeper(self, inherited: tuple[tuple[int, int, int], ...]) -> bytes:
        """The order as its keeper takes it; `inherited` are limits for what `limits` does not name.

        Raises `ValueError` with a sentence for what no system can start.
        """
        named = {kind for kind, _, _ in self.limits}
        texts = (*self.argv, *self.env, *self.env.values(), self.cwd)
        if not self.argv or not self.argv[0]:
            raise ValueError("no program is named")
        if any("\0" in text for text in texts):
            raise ValueError("a NUL byte stands in its arguments, environment or folder, which no program can be given")
        if any("=" in name or not name for name in self.env):
            raise ValueError("a variable of its environment has no name, or a name with '='")
        agent = AgentOrder(
            argv=tuple(word.encode(*_AS_THE_SYSTEM) for word in self.argv),
            env={name.encode(*_AS_THE_SYSTEM): value.encode(*_AS_THE_SYSTEM) for name, value in self.env.items()},
            cwd=os.fsencode(self.cwd),
            umask=self.umask,
            limits=(*self.limits, *(one for one in inherited if one[0] not in named)),
        )
        keeper = KeeperOrder(
            exit=os.fsencode(self.exit.absolute()),
            finish=self.finish,
            timeout=self.timeout,
            output_limit=self.output_limit,
            boot=this_boot(),
        )
        return encode(keeper) + encode(agent)
