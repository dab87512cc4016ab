"""A keeper at work: while its agent's tree is there, and its last words."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh
import _socket
import os
import select
import time

from harness.keeper.dialogue import hear, tell
from harness.keeper.draining import PATIENCE_S, ROOM_AGAIN_S, Draining
from harness.keeper.exit_file import as_json, as_words, facts, write_durably
from harness.keeper.order import KeeperOrder
from harness.keeper.pipe import Pipe
from harness.keeper.tree import LEFTOVERS_S, Tree

WATCH_GONE_S = 0.7  # from TERM to KILL when the watch died: the whole tree is gone within two seconds (R19)
_FOLDER_GONE = (FileNotFoundError, NotADirectoryError)  # whoever deleted it will not bring it back
TERMINATED_S = 1.0  # likewise when the keeper itself is told to end


class Keeper:
    """One attempt while its tree is there, and its last words."""

    def __init__(
        self, order: KeeperOrder, tree: Tree, watch: _socket.socket, wakings: int, out: Pipe, err: Pipe
    ) -> None:
        self._order = order
        self._tree = tree
        self._watch = watch
        self._wakings = wakings
        self._poll = select.poll()
        self._poll.register(wakings, select.POLLIN)
        self._poll.register(watch.fileno(), select.POLLIN)
        self._draining = Draining(out, err, self._poll)
        self._started = time.monotonic()
        self._asked: str | None = None
        self._alone = False

    def see_through(self) -> None:
        """Returns when no process of the tree is left, or only such as are beyond reach."""
        self._tree.reap()
        while self._tree.left:
            for descriptor, _ in self._poll.poll(self._act_on_time()):
                if descriptor == self._wakings:
                    self._take_signals()
                elif descriptor == self._watch.fileno():
                    self._take_commands()
                else:
                    self._draining.woken(descriptor)
            self._tree.reap()

    def _take_signals(self) -> None:
        """SIGCHLD only wakes; SIGTERM is meant for the tree."""
        if _signal.SIGTERM in os.read(self._wakings, 512):
            self._end("terminated", TERMINATED_S)

    def _take_commands(self) -> None:
        commands = hear(self._watch)
        for command in commands:
            self._tree.ending = True
            if command == ord("I"):
                self._tree.interrupt()
            elif command == ord("T"):
                self._tree.terminate(None)
            elif command == ord("K"):
                self._tree.kill_at = time.monotonic()
        if not commands:
            self._watch_gone()

    def _watch_gone(self) -> None:
        """What is being ended is not left to finish, whoever dies (R14)."""
        self._alone = True
        self._poll.unregister(self._watch.fileno())
        if self._order.finish and not self._tree.ending:
            self._draining.listen()
        else:
            self._end("watch gone", WATCH_GONE_S)

    def _end(self, why: str, grace: float) -> None:
        """Ends the tree; `why` counts only if the agent has not ended by then."""
        self._tree.reap()
        if self._tree.status is None:
            self._tree.ending = True
            self._asked = self._asked or why
        self._tree.terminate(grace)

    def _act_on_time(self) -> int | None:
        """Does what is due; in how many milliseconds something will be."""
        now = time.monotonic()
        time_over = self._guard(now) if self._alone and not self._tree.ending and self._tree.status is None else None
        if self._draining.again_at is not None and now >= self._draining.again_at:
            self._draining.listen()
        self._tree.kill_when_due(now)
        due = [one for one in (time_over, self._draining.again_at, self._tree.kill_at) if one is not None]
        return max(0, int((min(due) - now) * 1000) + 1) if due else None

    def _guard(self, now: float) -> float | None:
        """Ends an agent left to finish that passes a limit; the moment at which its time will be over."""
        timeout, output_limit = self._order.timeout, self._order.output_limit
        if output_limit is not None and self._draining.output > output_limit:
            self._draining.rest()  # what it still prints while it is being ended must not fill the disk
            self._end("output limit", LEFTOVERS_S)
        elif timeout is not None and now >= self._started + timeout:
            self._end("timeout", LEFTOVERS_S)
        return None if timeout is None else self._started + timeout

    def settle(self, started_at: int) -> None:
        """Returns when the journals are whole and `….exit` says how it ended, both durably.

        After a minute without room for it, or without its folder, there is no `….exit`; a watch that is there has heard
        how it ended.
        """
        tree = self._tree
        assert tree.status is not None
        given = facts(
            tree.status,
            started_at=started_at,
            ended_at=now_ms(),
            leftovers=tree.leftovers,
            beyond=tree.beyond,
            asked=self._asked,
        )
        if self._alone or not self._drained_by_watch(as_words(given)):
            self._draining.finish()
        self._write(as_json(given, self._order.boot))
        tell(self._watch, b"written\n")

    def _drained_by_watch(self, words: bytes) -> bool:
        """Whether the watch, told that the tree is gone, has drained the pipes; if not, it is gone itself."""
        tell(self._watch, b"gone %s\n" % words)
        while commands := hear(self._watch):
            if ord("D") in commands:
                return True
        return False

    def _write(self, content: bytes) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._draining.sync()
                write_durably(self._order.exit, content)
                return
            except OSError as error:
                if isinstance(error, _FOLDER_GONE) or time.monotonic() > give_up:
                    os.write(2, b"%s could not be written: %s\n" % (self._order.exit, str(error).encode()))
                    return
                time.sleep(ROOM_AGAIN_S)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
