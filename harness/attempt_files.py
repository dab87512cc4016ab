"""The files of one attempt, beside the record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.agents.base import Beside
from store.paths import Places


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptFiles:
    """Where one attempt reads and writes."""

    out: Path
    err: Path
    exit: Path
    prompt: Path
    answer: Path
    usage: Path  # where a CLI writes what it used, if it does so in a file


def attempt_files(places: Places, run: str, agent: str, attempt: int) -> AttemptFiles:
    """The files of that attempt; naming them creates nothing."""
    return AttemptFiles(
        out=places.journal(run, agent, attempt, "out"),
        err=places.journal(run, agent, attempt, "err"),
        exit=places.journal(run, agent, attempt, "exit"),
        prompt=places.journal(run, agent, attempt, "prompt"),
        answer=places.journal(run, agent, attempt, "answer"),
        usage=places.journal(run, agent, attempt, "usage"),
    )


def beside(files: AttemptFiles) -> Beside:
    """What an adapter's reader may look into at the end, beside the output."""
    return Beside(errors=files.err, usage=files.usage)


def last_words(journal: Path, *, characters: int = 1_000) -> str:
    """The end of what a journal holds, in whole lines where that leaves any; '' when it holds nothing readable."""
    try:
        with journal.open("rb") as opened:
            opened.seek(max(0, opened.seek(0, 2) - 4 * characters))
            text = opened.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""
    if len(text) <= characters:
        return text
    cut = text[-characters:]
    return cut.partition("\n")[2] or cut
