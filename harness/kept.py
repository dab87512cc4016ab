"""One attempt with its keeper, as the watch sees it: from launch to gone."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from harness.attempt_exit import Exit
from harness.attempt_order import Order
from harness.attempt_pipes import AttemptPipes
from harness.copying import Copying
from harness.dialogue import Dialogue
from harness.identity import Identity, identity_of, signal_if_same, this_boot, this_namespace
from harness.outputs import Outputs
from harness.refusals import keeper_lost_at_start, refusal
from harness.sink import Sink
from harness.survivors import Ended

KILL_PATIENCE_S = 3.0  # from KILL to the keeper's word that nothing is left; one that is mute for so long is stuck
_log = logging.getLogger("midwatch.kept")


class Kept:
    """What the watch can do with one attempt. Each wish may come at any moment, also before its program runs (R14)."""

    def __init__(
        self,
        order: Order,
        sink: Sink,
        *,
        end_orphans: Callable[[Kept], Awaitable[Ended]],
        forget: Callable[[Kept], None],
    ) -> None:
        self.order = order
        self.identity: Identity | None = None
        """The agent's own process, once its program runs."""
        self.keeper: Identity | None = None
        self._sink = sink
        self._end_orphans = end_orphans
        self._forget = forget
        self._pipes: AttemptPipes | None = None
        self._dialogue: Dialogue | None = None
        self._copying: Copying | None = None
        self._started_at = _now_ms()
        self._words: list[bytes] | None = None
        self._orphans: Ended | None = None
        self._sweep: asyncio.Task[None] | None = None
        self._whole = False
        self._tree_gone = asyncio.Event()
        self._over = asyncio.Event()

    def interrupt(self) -> None:
        """SIGINT for the agent's process group."""
        self._say(b"I")

    def terminate(self) -> None:
        """SIGTERM for every process of its tree."""
        self._say(b"T")

    def kill(self) -> None:
        """SIGKILL for its tree, until nothing is left of it."""
        self._say(b"K")

    async def end(self, grace: float = 5.0) -> None:
        """Returns when it is gone: interrupted now, terminated after half the seconds of grace, killed after all."""
        rungs = ((self.interrupt, grace / 2), (self.terminate, grace / 2), (self.kill, KILL_PATIENCE_S))
        for rung, patience in rungs:
            if not self._tree_gone.is_set():
                rung()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._tree_gone.wait(), patience)
        if not self._tree_gone.is_set():
            self._end_keeper()
        await self._over.wait()

    # For the supervisor.

    def begin(self, pipes: AttemptPipes, order: bytes, outputs: Outputs) -> None:
        """Says the order to the keeper that is being forked, and attends to it and to the agent."""
        self._pipes = pipes
        self._copying = Copying(
            pipes.out,
            pipes.err,
            sink=self._sink,
            lines=self.order.lines,
            output_limit=self.order.output_limit,
            outputs=outputs,
        )
        self._dialogue = Dialogue(pipes.control, heard=self._heard, ended=self._keeper_gone)
        self._dialogue.say(order)

    def refuse(self, error: str) -> None:
        """It cannot be started."""
        self._leave()
        self._sink.refused(error)

    def leave_to_keeper(self) -> None:
        """The watch leaves; the keeper does from here on what its order says for that (R19)."""
        if self._sweep is not None:
            self._sweep.cancel()
        self._leave()

    def _leave(self) -> None:
        if self._dialogue is not None:
            self._dialogue.close()
        if self._copying is not None:
            self._copying.stop()
        if self._pipes is not None:
            self._pipes.close()
            self._pipes = None
        self._forget(self)
        self._tree_gone.set()
        self._over.set()

    def _say(self, word: bytes) -> None:
        if self._dialogue is not None:
            self._dialogue.say(word)

    # What its keeper says.

    def _heard(self, word: bytes, rest: list[bytes]) -> None:
        match word:
            case b"kept":
                self.keeper = identity_of(int(rest[0]))
            case b"started":
                self._started(int(rest[0]), int(rest[1]))
            case b"refused":
                self.refuse(refusal(self.order, rest[0].decode(), int(rest[1])))
            case b"gone":
                self._words = rest
                self._finish_copying()
            case b"written":
                self._gone()
            case _:
                _log.error("the keeper of %s said %r", self.order.mark, word)

    def _started(self, pid: int, start_ticks: int) -> None:
        self._started_at = _now_ms()
        told = Identity(pid=pid, start_ticks=start_ticks, boot=this_boot(), namespace=this_namespace())
        self.identity = told if start_ticks else identity_of(pid) or told  # a keeper without /proc cannot tell
        self._sink.started(self.identity)

    def _finish_copying(self) -> None:
        self._tree_gone.set()
        assert self._copying is not None
        self._copying.finish(self._copied)

    def _copied(self) -> None:
        self._whole = True
        assert self._dialogue is not None
        if self._dialogue.open:
            self._dialogue.say(b"D")
        else:
            self._gone()

    def _gone(self) -> None:
        assert self._copying is not None
        out_bytes, err_bytes = self._copying.out_bytes, self._copying.err_bytes
        self._leave()
        if self._words is not None:
            self._sink.gone(Exit.of_words(self._words, out_bytes=out_bytes, err_bytes=err_bytes))
            return
        assert self._orphans is not None
        self._sink.gone(
            Exit.lost(
                started_at=self._started_at,
                ended_at=_now_ms(),
                leftovers=len(self._orphans.ended),
                beyond_reach=len(self._orphans.remain),
                out_bytes=out_bytes,
                err_bytes=err_bytes,
            )
        )

    # A keeper that was killed, or is stuck.

    def _end_keeper(self) -> None:
        _log.error("the keeper of %s does not answer; ending it", self.order.mark)
        if self.keeper is not None:
            signal_if_same(self.keeper, signal.SIGKILL)
        elif self._dialogue is not None:
            self._dialogue.close()  # should it come yet, it finds nobody and starts nothing
            self._keeper_gone()

    def _keeper_gone(self) -> None:
        if self._words is None:
            _log.error("the keeper of %s is gone", self.order.mark)
            self._sweep = asyncio.ensure_future(self._without_keeper())
        elif self._whole:
            self._gone()

    async def _without_keeper(self) -> None:
        self._orphans = await self._end_orphans(self)
        if self.identity is None:
            self.refuse(keeper_lost_at_start())
        else:
            self._finish_copying()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
