"""While you were away: what ended since this person last looked, and what waits for them.

When they last looked is one small private file of the state, since it is about a person and not about a run.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.letters import open_letters
from store.model import Outcome
from store.paths import open_private, private_folder
from store.recovery import runs_with_something_left
from store.usage import Totals
from store.views import RunLine, runs_ended_since
from tui.wording import counted, money, word

if TYPE_CHECKING:
    from pathlib import Path

    from store.paths import Places

MOST = 500
"""Runs and letters that are counted; beyond them it says so."""
LARGEST = 4_096
_ORDER = (Outcome.NOT_ACCEPTED, Outcome.BLOCKED, Outcome.STOPPED, Outcome.WITH_FAILURES, Outcome.COMPLETED)
WAITING = (Outcome.BLOCKED, Outcome.NOT_ACCEPTED)
"""Outcomes that ask a person for something."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """When somebody last looked (ms), and the newest event that they can have seen."""

    seq: int
    at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Away:
    """What ended after `since` (ms), the last first, and what waits, whenever it came."""

    since: int
    ended: tuple[RunLine, ...] = ()
    cut_off: int = 0
    letters: int = 0
    new_letters: int = 0

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many ended how."""
        return Counter(run.outcome for run in self.ended if run.outcome is not None)

    @property
    def spent(self) -> Totals:
        """What those runs cost, as far as it is known."""
        known = [run.totals.spent for run in self.ended if run.totals.spent is not None]
        return Totals(
            cost=sum(known) if known else None, missing_cost=sum(run.totals.missing_cost for run in self.ended)
        )

    @property
    def waiting(self) -> tuple[RunLine, ...]:
        """Those that ended and ask for something."""
        return tuple(run for run in self.ended if run.outcome in WAITING)

    @property
    def worth_a_line(self) -> bool:
        """Whether there is news."""
        return bool(self.ended or self.new_letters)


def last_looked(places: Places) -> Looked | None:
    """When somebody last looked; `None` when nobody has, or it cannot be read."""
    try:
        with os.fdopen(open_private(_file(places), os.O_RDONLY), "r", encoding="utf-8") as file:
            kept = json.loads(file.read(LARGEST))
        return Looked(seq=int(kept["seq"]), at=int(kept["at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_looked(places: Places, looked: Looked) -> None:
    """Keeps it (0600, replaced as a whole), unless a later look is kept. What cannot be kept is only said again."""
    before = last_looked(places)
    if before is not None and before.at > looked.at:
        return
    file = _file(places)
    beside = file.with_suffix(f".{os.getpid()}")
    try:
        private_folder(file.parent)
        with os.fdopen(open_private(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as written:
            json.dump({"seq": looked.seq, "at": looked.at}, written)
        beside.replace(file)
    except (OSError, StoreError):
        beside.unlink(missing_ok=True)


def while_away(connection: sqlite3.Connection, since: int) -> Away:
    """What came after `since`, from indexes. A run that was cut off counts as that and not as ended."""
    letters = open_letters(connection, limit=MOST)
    return Away(
        since=since,
        ended=tuple(run for run in runs_ended_since(connection, since, limit=MOST) if not run.restored),
        cut_off=len(runs_with_something_left(connection)),
        letters=len(letters),
        new_letters=sum(1 for letter in letters if letter.at > since),
    )


def sentence(away: Away) -> str:
    """`While you were away: 1 blocked, 2 completed, $3.20; 1 cut off, 2 dead letters`: what asks for most first."""
    told = [f"{count} {_word(outcome)}" for outcome, count in _in_order(away)]
    if len(away.ended) >= MOST:
        told.append("and more")
    if away.ended and money(away.spent):
        told.append(money(away.spent))
    waits = [
        f"{away.cut_off} cut off" if away.cut_off else "",
        counted(away.letters, "dead letter") if away.letters else "",
    ]
    waiting = ", ".join(one for one in waits if one)
    ended = ", ".join(told) or "no run ended"
    return f"While you were away: {ended}" + (f"; {waiting}" if waiting else "")


def _word(outcome: Outcome) -> str:
    return "with failures" if outcome is Outcome.WITH_FAILURES else word(outcome)


def _in_order(away: Away) -> Iterator[tuple[Outcome, int]]:
    outcomes = away.outcomes
    return ((outcome, outcomes[outcome]) for outcome in _ORDER if outcomes[outcome])


def _file(places: Places) -> Path:
    return places.state / "looked.json"
