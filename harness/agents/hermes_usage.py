"""Reads the file that Hermes Agent writes under `--usage-file` when it ends. Checked on 0.19.0.

It says whether the work failed, which the exit status does not: a refused sign-in has exit 0. A turn is one call of
the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.json_lines import Record, decode, identifier, nano_dollars, text, whole
from harness.reports import Model, Report, Result, Turn, Usage
from store.model import Counts

MAX_TURNS = 10_000

_MOST = 1 << 20
_KNOWN = ("actual", "estimated", "included")


class HermesUsage:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside

    def read(self, line: bytes) -> Sequence[Report]:
        """No report, whatever the line: its output is the answer."""
        return ()

    def end(self) -> Sequence[Report]:
        """Everything it tells; that nothing is known when it was killed before it told."""
        told = _told(self._beside.usage)
        if told is None:
            return (Usage(counts=Counts()),)
        model = identifier(told.get("model"))
        named = () if model is None else (Model(name=model),)
        turns = [Turn()] * min(whole(told.get("api_calls")) or 0, MAX_TURNS)
        return (*named, *turns, Usage(counts=_counts(told), model=model), _result(told))


def _told(path: Path | None) -> Record | None:
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            content = file.read(_MOST)
    except OSError:
        return None
    told = decode(content)
    return told if told is not None and isinstance(told.get("failed"), bool) else None


def _counts(told: Record) -> Counts:
    """A 0 for cache writes is told on protocols that have no such count."""
    return Counts(
        input=whole(told.get("input_tokens")),
        output=whole(told.get("output_tokens")),
        cache_read=whole(told.get("cache_read_tokens")),
        cache_write=whole(told.get("cache_write_tokens")) or None,
        cost=nano_dollars(told.get("estimated_cost_usd")) if told.get("cost_status") in _KNOWN else None,
    )


def _result(told: Record) -> Result:
    if told.get("failed") is True:
        return Result(ok=False, error=text(told.get("failure")) or "it marked its work as failed; its output says why")
    if told.get("completed") is False:
        return Result(ok=False, error="it marked its work as not completed; its output says why")
    return Result(ok=True)
