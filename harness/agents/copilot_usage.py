"""What Copilot CLI says it used, in the file of `--usage-output-file`. Checked on 1.0.102.

The counts of each model are those of the whole session. What the cache served and took in is part of the input. A 0
for the latter is told on protocols that have no such count, and a cost of 0 where the price is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.agents.json_lines import Record, decode, identifier, record, whole
from harness.reports import Usage
from store.model import Counts

_MOST = 1 << 20


def usage_in(path: Path | None, *, at_least: bool) -> Sequence[Usage]:
    """The usage of each model; nothing when there is no such file. `at_least`: an answer broke off."""
    if path is None:
        return ()
    try:
        with path.open("rb") as file:
            content = file.read(_MOST)
    except OSError:
        return ()
    told = decode(content)
    if told is None or not isinstance(told.get("modelMetrics"), dict):
        return ()
    models = record(told.get("modelMetrics"))
    if not models:  # every request was refused
        return (Usage(counts=Counts(input=0, output=0, cache_read=0), at_least=at_least),)
    return [
        Usage(
            counts=_counts(record(record(one).get("usage"))), model=identifier(name), cumulative=True, at_least=at_least
        )
        for name, one in models.items()
    ]


def _counts(usage: Record) -> Counts:
    total, read = whole(usage.get("inputTokens")), whole(usage.get("cacheReadTokens"))
    written = whole(usage.get("cacheWriteTokens")) or None
    uncached = None if total is None or read is None else total - read - (written or 0)
    return Counts(
        input=uncached if uncached is None or uncached >= 0 else None,
        output=whole(usage.get("outputTokens")),
        cache_read=read,
        cache_write=written,
    )
