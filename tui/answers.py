"""What an agent answered in the end, as text to send or to show: harmless, and never a part of it as if it were all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.text import harmless

if TYPE_CHECKING:
    from store.paths import Places
    from store.run import Delegation

LONGEST = 1 << 20
"""Bytes of an answer that is read; a longer one is only named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The answer of an agent's last attempt. `text` is `None` where it is too long, or its journal is gone."""

    attempt: int
    bytes: int
    text: str | None


def answer_of(places: Places, run: str, delegation: Delegation) -> Answer | None:
    """The agent's answer; `None` while it has given none."""
    attempt = delegation.attempt
    if attempt is None or not delegation.answer_bytes:
        return None
    text = None
    if delegation.answer_bytes <= LONGEST:
        # An adapter's reader writes the answer aside; of a program with plain output the journal itself is the answer.
        for part in ("answer", "out"):
            path = places.journal(run, delegation.name, attempt.number, part)
            if path.exists():
                with path.open("rb") as opened:
                    text = harmless(opened.read(LONGEST).decode("utf-8", "replace"))
                break
    return Answer(attempt=attempt.number, bytes=delegation.answer_bytes, text=text)
