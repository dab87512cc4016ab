"""Reads what pi prints under `--mode json`. Checked on 0.73.1.

There is no final event that says how it went, and every error ends with exit 0: the newest message of the model
decides. A turn is one message of the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.http_status import kind_of_status
from harness.agents.json_lines import Record, decode, identifier, nano_dollars, one_line, record, records, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import ErrorKind, Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

MAX_WRITES = 1000  # tools at work at once whose paths are remembered

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_REFUSED = Counts(input=0, output=0, cache_read=0)
_WRITES = ("write", "edit")
_DETAILS = ("command", "path", "pattern", "query", "url")
_STATUS = re.compile(r"(\d{3}) ")
_GONE = "No session found matching "
_NO_KEY = "No API key found for "


class PiStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._asked = False
        self._model: str | None = None
        self._answer: str | None = None
        self._ended_with: str | None = None  # why the newest message ended, while none follows
        self._failure: Failure | None = None  # of the newest message
        self._writes: dict[str, str] = {}  # paths by the tool call that is writing them
        self._tells_writes = False

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        message = record(found.get("message"))
        self._asked = self._asked or bool(message)
        match found["type"]:
            case "session":
                session = identifier(found.get("id"))
                return () if session is None else (Session(id=session),)
            case "message_start" if message.get("role") == "assistant":
                self._ended_with = self._failure = None
            case "message_end" if message.get("role") == "assistant":
                return self._message(message)
            case "tool_execution_start":
                return self._tool(found)
            case "tool_execution_end":
                path = self._writes.pop(str(found.get("toolCallId")), None)
                return (File(path=path),) if path is not None and found.get("isError") is not True else ()
        return ()

    def end(self) -> Sequence[Report]:
        """Its result, and what is not known of its tokens."""
        if self._failure is not None:
            final = Failure(kind=self._failure.kind, message=self._failure.message)
            return (final, Result(ok=False, error=final.message))
        if self._ended_with == "stop":
            return (Result(ok=True, text=self._answer),)
        if self._ended_with not in (None, "toolUse"):
            return (Result(ok=False, error=f"its answer ended with '{self._ended_with}'"),)
        for line in () if self._asked else last_lines(self._beside.errors):
            if line.startswith(_GONE):
                return (Usage(counts=_NOTHING), Result(ok=False, error=line, session_gone=True))
            if line.startswith(_NO_KEY):
                failure = Failure(kind=ErrorKind.AUTH, message=line)
                return (Usage(counts=_NOTHING), failure, Result(ok=False, error=line))
        return (Usage(counts=Counts(), model=self._model),)

    def _message(self, message: Record) -> Sequence[Report]:
        self._ended_with = text(message.get("stopReason")) or "no reason"
        model = identifier(message.get("model"))
        reports: list[Report] = []
        if model is not None and model != self._model:
            self._model = model
            reports.append(Model(name=model))
        if self._ended_with == "error":
            return [*reports, *self._failed(text(message.get("errorMessage")) or "its request failed")]
        parts = [text(part.get("text")) or "" for part in records(message.get("content")) if part.get("type") == "text"]
        words = "".join(parts)
        if words:
            self._answer = words
            reports.append(Text(text=words))
        return [*reports, Turn(), self._usage(message)]

    def _failed(self, message: str) -> Sequence[Report]:
        found = _STATUS.match(message)
        kind = ErrorKind.OTHER if found is None else kind_of_status(int(found[1]))
        self._failure = Failure(kind=kind, message=message, retrying=True)
        # Without a status the answer broke off in the middle: it was paid for, and its tokens are nowhere.
        counts = Counts() if found is None else _REFUSED
        return (self._failure, Usage(counts=counts, model=self._model))

    def _usage(self, message: Record) -> Report:
        usage = record(message.get("usage"))
        written = whole(usage.get("cacheWrite"))
        self._tells_writes = self._tells_writes or bool(written)
        counts = Counts(
            input=whole(usage.get("input")),
            output=whole(usage.get("output")),
            cache_read=whole(usage.get("cacheRead")),
            cache_write=written if self._tells_writes else None,
            cost=nano_dollars(record(usage.get("cost")).get("total")) or None,
        )
        return Usage(counts=counts, model=self._model, request=identifier(message.get("responseId")))

    def _tool(self, found: Record) -> Sequence[Report]:
        name, given = identifier(found.get("toolName")) or "?", record(found.get("args"))
        call, path = found.get("toolCallId"), text(given.get("path")) if name in _WRITES else None
        if isinstance(call, str) and path and len(self._writes) < MAX_WRITES:
            self._writes[call] = path
        detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
        return (Tool(name=name, detail=detail),)
