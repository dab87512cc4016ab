"""A watch that only launches one attempt and says what it is told, to be killed in the middle of it.

    python -m tests.harness.small_watch FOLDER MODE ARGV…

MODE is `stop` or `finish`, with `,timeout=SECONDS`, `,limit=BYTES`, `,plain` (no lines) or `,terminate=lines` or
`=full` (as soon as that comes). Prints `watch PID`, `keeper PID`, `started PID`, each line of the agent,
`output BYTES`, `full`, `over limit`, `terminated` and `gone EXIT` as they come.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from harness.supervisor import Exit, Identity, Kept, Supervisor
from tests.harness.supervising import order


class Saying:
    """A sink that prints."""

    def __init__(self, *, terminate: str) -> None:
        self.kept: Kept | None = None
        self.over = asyncio.Event()
        self._terminate = terminate

    def started(self, identity: Identity) -> None:
        assert self.kept is not None and self.kept.keeper is not None
        say(f"keeper {self.kept.keeper.pid}")
        say(f"started {identity.pid}")

    def refused(self, error: str) -> None:
        say(f"refused {error}")
        self.over.set()

    def lines(self, lines: list[bytes]) -> None:
        for line in lines:
            say(line.decode("utf-8", "replace"))
        self._came("lines")

    def output(self, out_bytes: int, err_bytes: int) -> None:
        say(f"output {out_bytes}")

    def over_limit(self) -> None:
        say("over limit")

    def disk_full(self) -> None:
        say("full")
        self._came("full")

    def gone(self, exit: Exit) -> None:  # noqa: A002  # the noun of the domain
        say(f"gone {exit}")
        self.over.set()

    def _came(self, word: str) -> None:
        if self._terminate == word and self.kept is not None:
            self._terminate = ""
            self.kept.terminate()
            say("terminated")


def say(line: str) -> None:
    print(line, flush=True)


async def watch(folder: Path, mode: str, argv: list[str]) -> None:
    say(f"watch {os.getpid()}")
    name, *words = mode.split(",")
    options = dict(word.partition("=")[::2] for word in words)
    supervisor = Supervisor()
    await supervisor.start()
    sink = Saying(terminate=options.get("terminate", ""))
    sink.kept = supervisor.launch(
        order(
            folder,
            "1",
            argv,
            finish=name == "finish",
            timeout=float(options["timeout"]) if "timeout" in options else None,
            output_limit=int(options["limit"]) if "limit" in options else None,
            lines="plain" not in options,
        ),
        sink,
    )
    await sink.over.wait()
    await supervisor.close()


if __name__ == "__main__":
    asyncio.run(watch(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
