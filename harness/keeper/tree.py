"""The processes of one agent, as the keeper that is their parent and subreaper knows them."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import os
import time

from harness.keeper.proc import STARTED, STATE, descendants, send_if_same
from harness.keeper.system import LINUX

LEFTOVERS_S = 2.0  # from TERM to KILL, for what outlives its agent
BEYOND_S = 2.0  # how long to go on against processes that are not ours to kill
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.005, 0.2  # between two passes of killing


class Tree:
    """The agent and everything below it. `reap` is called whenever a child may have ended."""

    def __init__(self, agent: int) -> None:
        self.agent = agent
        self.status: int | None = None
        """The agent's wait status once it has ended; something of its tree may still be there."""
        self.left = True
        """Whether any of its processes is, as far as it is within reach."""
        self.leftovers = 0
        """How many outlived an agent that ended by itself."""
        self.beyond = 0
        """How many belong to another owner now (sudo, setuid), and so are beyond reach."""
        self.ending = False
        """Whether somebody wants it ended: then what it leaves is no left-over."""
        self.kill_at: float | None = None
        """When it is to be killed (monotonic seconds)."""
        self._pause = FIRST_PAUSE_S
        self._reached_at: float | None = None

    def reap(self) -> None:
        """Takes every process that has ended. When the agent has, what it left behind is ended too."""
        running = self.status is None
        while self.left:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.left = not LINUX and self._signal_group(0)
                break
            if pid == 0:
                break
            if pid == self.agent:
                self.status = status
        if running and self.status is not None and self.left:
            if not self.ending:
                self.leftovers = _alive_below() if LINUX else 1  # there, only that something is left is known
            self.terminate(LEFTOVERS_S)

    def interrupt(self) -> None:
        """SIGINT for the agent's own process group."""
        if self.status is None:
            self._signal_group(_signal.SIGINT)

    def terminate(self, grace: float | None) -> None:
        """SIGTERM for every process now, and SIGKILL when the seconds of grace, if there are any given, are over."""
        if grace is not None:
            kill_at = time.monotonic() + grace
            self.kill_at = kill_at if self.kill_at is None else min(self.kill_at, kill_at)
        self._signal(_signal.SIGTERM)

    def kill_when_due(self, now: float) -> None:
        """Kills the tree as it stands, if it is time; what it forks meanwhile is for the next pass."""
        if self.kill_at is None or now < self.kill_at:
            return
        reached, denied = self._signal(_signal.SIGKILL)
        self.kill_at = now + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE_S)
        if reached or self._reached_at is None:
            self._reached_at = now
        elif self.status is not None and now - self._reached_at > BEYOND_S:
            self.beyond = max(denied, 1)
            self.left = False

    def _signal(self, number: int) -> tuple[int, int]:
        """How many processes took the signal, and how many are not ours to signal."""
        if not LINUX:
            return int(self._signal_group(number)), 0
        reached = denied = 0
        for pid, fields in descendants(os.getpid()):
            try:
                reached += send_if_same(pid, int(fields[STARTED]), number)
            except PermissionError:
                denied += 1
        return reached, denied

    def _signal_group(self, number: int) -> bool:
        """Whether there was anything in the agent's process group."""
        try:
            os.killpg(self.agent, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True


def _alive_below() -> int:
    return sum(fields[STATE] not in b"ZX" for _, fields in descendants(os.getpid()))
