"""Reads what OpenClaw prints under `agent exec --json`: one document, when it ends. Checked on 2026.9.2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.agents.http_status import kind_of_status
from harness.agents.json_lines import Record, decode, identifier, nano_dollars, record, text, whole
from harness.reports import ErrorKind, Failure, Model, Report, Result, Text, Turn, Unknown, Usage
from store.model import Counts

MAX_BYTES = 1 << 24  # of the document
MAX_TURNS = 10_000

_REFUSED = re.compile(r"Authentication failed \(provider returned HTTP (\d{3})\)")
_OVERLOADED = "The AI service is temporarily overloaded."


class OpenclawDocument:
    """Reads one attempt."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._bytes = 0

    def read(self, line: bytes) -> Sequence[Report]:
        """No report yet: the document is read when it is whole."""
        self._bytes += len(line) + 1
        if self._bytes <= MAX_BYTES:
            self._lines.append(line)
        return ()

    def end(self) -> Sequence[Report]:
        """Everything that the document tells; that nothing is known when there is none."""
        found = decode(b"\n".join(self._lines)) if self._bytes <= MAX_BYTES else None
        if found is None or not isinstance(found.get("ok"), bool):
            said = next((line for line in self._lines if line.strip()), None)
            return (*(() if said is None else (Unknown(line=said),)), Usage(counts=Counts()))
        model = identifier(found.get("model"))
        reports: list[Report] = [] if model is None else [Model(name=model)]
        reports += [Turn()] * min(whole(found.get("assistantTurns")) or 0, MAX_TURNS)
        reports.append(Usage(counts=_counts(found), model=model))
        return [*reports, *(_succeeded(found) if found.get("ok") is True else _failed(record(found.get("error"))))]


def _counts(found: Record) -> Counts:
    usage = record(found.get("usage"))
    return Counts(
        input=whole(usage.get("input")),
        output=whole(usage.get("output")),
        cache_read=whole(usage.get("cacheRead")),
        cache_write=whole(usage.get("cacheWrite")) or None,
        cost=nano_dollars(found.get("costUsd")) or None,
    )


def _succeeded(found: Record) -> Sequence[Report]:
    words = text(found.get("final"))
    return (*((Text(text=words),) if words else ()), Result(ok=True, text=words))


def _failed(error: Record) -> Sequence[Report]:
    message = text(error.get("message")) or "it failed and gave no reason"
    refused = _REFUSED.match(message)
    if refused is not None:
        kind = kind_of_status(int(refused[1]))
    else:
        kind = ErrorKind.OVERLOADED if message.startswith(_OVERLOADED) else ErrorKind.OTHER
    return (Failure(kind=kind, message=message), Result(ok=False, error=message))
