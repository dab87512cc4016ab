"""The person's own pager, fed with harmless text: a pager that passes bytes on would pass control sequences on."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tui.text import harmless_bytes
from tui.transcript import Transcript

_CHUNK = 1 << 16


def page_transcript(transcript: Transcript) -> str:
    """Shows all of it; answers with what went wrong, or ''. Lets the transcript go."""
    try:
        while transcript.grow():
            pass
        transcript.finish()
        return _page(f"{line}\n" for line in transcript.texts())
    except OSError as problem:
        return f"the journal cannot be read: {problem.strerror}"
    finally:
        transcript.close()


def page_journal(path: Path) -> str:
    """Shows the journal line for line; answers with what went wrong, or ''."""
    try:
        with path.open("rb") as journal:
            return _page(_lines(journal))
    except OSError as problem:
        return f"the journal cannot be read: {problem.strerror}"


def _lines(journal: BinaryIO) -> Iterator[str]:
    """A line of any length comes in pieces, so that none has to fit into memory."""
    while data := journal.readline(_CHUNK):
        newline = data.endswith(b"\n")
        yield harmless_bytes(data.removesuffix(b"\n")) + ("\n" if newline else "")


def _page(texts: Iterable[str]) -> str:
    # Without -F: a text that fits must not be gone again before it was seen.
    environment = {**os.environ, "LESS": f"{os.environ.get('LESS', '-M')} -+F", "LESSCHARSET": "utf-8"}
    command = ["less"]
    try:
        command = shlex.split(os.environ.get("PAGER", "")) or command
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    except (OSError, ValueError) as problem:
        return f"the pager '{command[0]}' does not start ({problem}); set PAGER to one that does"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person's ^C is for the pager
    try:
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin as into:
            for text in texts:
                into.write(text.encode("utf-8", "replace"))
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return ""
