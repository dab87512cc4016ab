"""The pipes of all agents on one tick: woken by the first byte, all of them drained together a moment later."""

from __future__ import annotations

import asyncio
import logging
import selectors
from typing import Protocol

from harness.keeper.pipe import Pipe

TICK_S = 0.02
"""From the first byte to the drain: long enough that chatty agents share one, too short for a person to see."""
LONGEST_TICK_S = 0.1
"""The same with many agents speaking at once, so that attending to them all stays cheap."""
_TICK_A_SPEAKER_S = 0.0005
NEARLY_FULL = 32 << 10  # a pipe holds 64 KiB, less where its pages are not filled
_FLOOD_TICK_S = 0.001  # while an agent fills its pipe faster than the tick empties it
_log = logging.getLogger("midwatch.outputs")


class Speaker(Protocol):
    """Whose pipes they are."""

    def take(self, pipe: Pipe) -> int:
        """Moves what is there and gives it on; how many bytes that was."""

    def spoke(self) -> None:
        """Called once after each drain in which there was something to take."""


class Outputs:
    """Costs nothing while every agent is silent."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._selector = selectors.DefaultSelector()  # an epoll of its own, which the loop's can wait on
        self._timer: asyncio.TimerHandle | None = None
        self._arm()

    def add(self, pipe: Pipe, speaker: Speaker) -> None:
        """From now on what comes through the pipe is taken."""
        self._selector.register(pipe.reading, selectors.EVENT_READ, (pipe, speaker))

    def remove(self, pipe: Pipe) -> None:
        """Takes no more from it, so that its agent waits; one that is not there is no error."""
        if pipe.reading in self._selector.get_map():
            self._selector.unregister(pipe.reading)

    def close(self) -> None:
        """Takes nothing more."""
        self._loop.remove_reader(self._selector)
        if self._timer is not None:
            self._timer.cancel()
        self._selector.close()

    def _arm(self) -> None:
        self._timer = None
        self._loop.add_reader(self._selector, self._woken)

    def _woken(self) -> None:
        self._loop.remove_reader(self._selector)
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        ready = self._selector.select(0)
        if not ready:
            self._arm()
            return
        flooded = False
        spoke: dict[Speaker, None] = {}
        for key, _ in ready:
            pipe, speaker = key.data
            try:
                moved = speaker.take(pipe)
            except Exception:  # one agent's trouble must not keep the others' bytes from being moved
                _log.exception("what an agent printed could not be given on")
                continue
            if moved:
                spoke[speaker] = None
                flooded |= moved >= NEARLY_FULL
        for speaker in spoke:
            try:
                speaker.spoke()
            except Exception:
                _log.exception("that an agent spoke could not be told")
        tick = min(max(TICK_S, len(ready) * _TICK_A_SPEAKER_S), LONGEST_TICK_S)
        self._timer = self._loop.call_later(_FLOOD_TICK_S if flooded else tick, self._tick)
