"""All attempts of one watch: launched, attended to, looked at."""

from __future__ import annotations

import asyncio
import resource
from contextlib import suppress

from harness.attempt_exit import Exit
from harness.attempt_order import Order
from harness.attempt_pipes import open_pipes
from harness.identity import Identity
from harness.kept import Kept
from harness.orphans import orphans_of
from harness.outputs import Outputs
from harness.processes import Processes, Vitals
from harness.refusals import unopened
from harness.sink import Sink
from harness.survivors import Ended, end_all, survivors
from harness.zygote import Zygote

__all__ = ["Exit", "Identity", "Kept", "Order", "Sink", "Supervisor", "Vitals"]


class Supervisor:
    """Starts agents through keepers and moves what they print into their journals. Lives on one event loop."""

    def __init__(self) -> None:
        self._zygote = Zygote()
        self._kept: dict[str, Kept] = {}
        self._processes = Processes()
        self._inherited: tuple[tuple[int, int, int], ...] = ()

    async def start(self) -> None:
        """Makes launches possible."""
        self._zygote.start()
        self._outputs = Outputs()
        self._raise_open_files()

    def launch(self, order: Order, sink: Sink) -> Kept:
        """The attempt, being started; that it could not be is told to the sink, never raised. Does not wait."""
        kept = Kept(order, sink, end_orphans=self._end_orphans, forget=self._forget)
        refuse = asyncio.get_running_loop().call_soon
        if order.mark in self._kept:
            refuse(kept.refuse, f"an attempt with the mark {order.mark} is at work already")
            return kept
        try:
            content = order.for_keeper(self._inherited)
            pipes = open_pipes(order)
        except ValueError as problem:
            refuse(kept.refuse, f"it cannot be started: {problem}")
        except OSError as problem:
            refuse(kept.refuse, unopened(problem))
        else:
            self._kept[order.mark] = kept
            self._zygote.fork_keeper(pipes.for_keeper)
            kept.begin(pipes, content, self._outputs)
        return kept

    def look(self) -> dict[str, Vitals]:
        """What each attempt's tree uses, by mark, from one pass over all processes. Takes some milliseconds."""
        return self._processes.look(
            {mark: kept.keeper.pid for mark, kept in self._kept.items() if kept.keeper is not None}
        )

    async def close(self) -> None:
        """Lets go of everything; keepers of attempts still at work do what their orders say for that (R19)."""
        for kept in list(self._kept.values()):
            kept.leave_to_keeper()
        self._outputs.close()
        self._zygote.close()

    def _raise_open_files(self) -> None:
        """Raises our limit of open files as far as we may; agents get the one we had unless their order names one."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._inherited = ((resource.RLIMIT_NOFILE, soft, hard),)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def _forget(self, kept: Kept) -> None:
        if self._kept.get(kept.order.mark) is kept:
            del self._kept[kept.order.mark]

    async def _end_orphans(self, kept: Kept) -> Ended:
        """Ends what a keeper left that was killed: what the zygote adopted, and what carries the mark."""
        mark, zygote = kept.order.mark, self._zygote.pid
        keeper = None if kept.keeper is None else kept.keeper.pid

        def find() -> list[Identity]:
            return [*orphans_of(zygote=zygote, keeper=keeper), *survivors([mark])]

        return await asyncio.to_thread(end_all, find)
