"""The verdict reader (O6): what an agent decided, and whether it says that it could not proceed.

Only labelled regions are read (`harness.regions`), only the first 400 characters of each, and in them only the signals
of the contract (`harness.signals`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.markdown import Unreadable
from harness.regions import Label, Region, regions
from harness.signals import Signal, first_signal, normal
from store.model import Verdict

WINDOW = 400  # characters after a label; leading blanks, and the label's own colon, are not counted
_QUOTED = 80
_BEFORE = " \t\n:"
_NOTHING = re.compile(r"\W*(?:none|nothing|no|nil|n/?a|not applicable|not blocked)\W*", re.IGNORECASE)
_WEIGHTIEST_FIRST = (Verdict.REJECTED, Verdict.BLOCKED, Verdict.ACCEPTED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What an answer says in its labelled regions.

    `verdict`: one rejection among several regions is a rejection, else one that is blocked blocks; `None`: no region
    decides. `blocked`: the reason under a 'Blocked' label, by an agent of any role. `quote`: the signal that decided,
    or the first words of a region that decides nothing; for the screen. `unread`: the sentence for an answer that was
    not looked into; then nothing of it counts.
    """

    verdict: Verdict | None = None
    blocked: str | None = None
    quote: str = ""
    unread: str | None = None


def read(answer: str) -> Reading:
    """The reading of one whole answer. Never raises; its time is bounded whatever the answer is."""
    try:
        found = regions(answer)
    except Unreadable as error:
        return Reading(unread=f"its answer was not read for a verdict: {error}")
    labelled = [region for region in found if region.label is Label.VERDICT]
    signals = [signal for region in labelled if (signal := _signal(region)) is not None]
    decisive = min(signals, key=lambda one: _WEIGHTIEST_FIRST.index(one.verdict), default=None)
    reasons = [reason for region in found if region.label is Label.BLOCKED and (reason := _reason(region)) is not None]
    if decisive is not None:
        quote = decisive.words
    else:
        quote = next((words for region in [*labelled, *found] if (words := region.text.lstrip(_BEFORE))), "")
    return Reading(
        verdict=None if decisive is None else decisive.verdict,
        blocked=reasons[0] if reasons else None,
        quote=_cut(" ".join(quote.split()), _QUOTED),
    )


def _signal(region: Region) -> Signal | None:
    return first_signal(normal(region.said).lstrip(_BEFORE), within=WINDOW)


def _reason(region: Region) -> str | None:
    """What stopped the agent; `None` when the first line says that nothing did ('Blocked: none')."""
    text = region.text.lstrip(_BEFORE).rstrip()
    if _NOTHING.fullmatch(text.partition("\n")[0]):
        return None
    return _cut(text, WINDOW) or "it gave no reason"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "\u2026"
