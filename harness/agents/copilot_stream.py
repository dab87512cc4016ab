"""Reads what Copilot CLI prints under `--output-format json`. Checked on 1.0.102.

A turn is one message of the model. What was used stands in no event but in its usage file (`copilot_usage`).
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.copilot_usage import usage_in
from harness.agents.http_status import kind_of_answer
from harness.agents.json_lines import Record, decode, identifier, one_line, record, records, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import ErrorKind, Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

MAX_CALLS = 1000  # tools at work at once whose names are remembered

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_WRITTEN = ("create", "edit")
_DETAILS = ("command", "path", "pattern", "query", "url", "description", "prompt")
_KINDS = {
    "authentication": ErrorKind.AUTH,
    "authorization": ErrorKind.AUTH,
    "quota": ErrorKind.USAGE_LIMIT,
    "rate_limit": ErrorKind.RATE_LIMIT,
}
_GONE = "Error: No session, task, or name matched"
_NOT_SIGNED_IN = "Error: No authentication information found."


class CopilotStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._began = False
        self._broke_off = False  # an answer did, and no usage file holds it
        self._ended = False
        self._model: str | None = None
        self._answer: str | None = None
        self._error: str | None = None
        self._calls: dict[str, str] = {}  # names of tools by their calls
        self._denied: dict[str, None] = {}

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        self._began = True
        data = record(found.get("data"))
        match found["type"]:
            case "assistant.message":
                return self._message(data, main=data.get("parentToolCallId") is None)
            case "tool.execution_start":
                return self._tool(data)
            case "tool.execution_complete":
                return self._tool_ended(data)
            case "model.call_failure":
                return self._call_failed(data)
            case "session.error":
                return self._gave_up(data)
            case "result":
                return self._result(found)
        return ()

    def end(self) -> Sequence[Report]:
        """What it has used; without a beginning its standard error says why there was none."""
        for line in () if self._began else last_lines(self._beside.errors):
            if line.startswith(_GONE):
                return (Usage(counts=_NOTHING), Result(ok=False, error=line, session_gone=True))
            if line.startswith(_NOT_SIGNED_IN):
                failure = Failure(kind=ErrorKind.AUTH, message=line)
                return (Usage(counts=_NOTHING), failure, Result(ok=False, error=line))
        missing = self._broke_off or not self._ended
        return usage_in(self._beside.usage, at_least=missing) or (Usage(counts=Counts(), model=self._model),)

    def _message(self, data: Record, *, main: bool) -> Sequence[Report]:
        if not main:
            return ()
        reports: list[Report] = [Turn()]
        model, words = identifier(data.get("model")), text(data.get("content"))
        if model is not None and model != self._model:
            self._model = model
            reports.append(Model(name=model))
        if words:
            self._answer = words
            reports.append(Text(text=words))
        return reports

    def _tool(self, data: Record) -> Sequence[Report]:
        name, given, call = (
            identifier(data.get("toolName")) or "?",
            record(data.get("arguments")),
            data.get("toolCallId"),
        )
        if isinstance(call, str) and len(self._calls) < MAX_CALLS:
            self._calls[call] = name
        detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
        return (Tool(name=name, detail=detail),)

    def _tool_ended(self, data: Record) -> Sequence[Report]:
        name = self._calls.pop(str(data.get("toolCallId")), "?")
        if record(data.get("error")).get("code") == "denied":
            self._denied[name] = None
        written = [one for one in records(data.get("fileEdits")) if one.get("kind") in _WRITTEN]
        return [File(path=path) for one in written if (path := text(one.get("path")))]

    def _call_failed(self, data: Record) -> Sequence[Report]:
        status, body = whole(data.get("statusCode")), text(data.get("errorMessage"))
        if status is None:  # the answer broke off in the middle
            self._broke_off = True
        message = "its request failed" if status is None else f"its request was refused with status {status}"
        return (Failure(kind=kind_of_answer(status, body), message=message, retrying=True),)

    def _gave_up(self, data: Record) -> Sequence[Report]:
        self._error = text(data.get("message")) or "it reported an error"
        status = whole(data.get("statusCode"))
        kind = _KINDS.get(str(data.get("errorType"))) or kind_of_answer(status, None)
        return (Failure(kind=kind, message=self._error),)

    def _result(self, found: Record) -> Sequence[Report]:
        self._ended = True
        session, code = identifier(found.get("sessionId")), whole(found.get("exitCode"))
        named = () if session is None else (Session(id=session),)
        if code == 0:
            return (*named, Result(ok=True, text=self._answer, denied=tuple(self._denied)))
        return (*named, Result(ok=False, error=self._error or f"its result has exit code {code}"))
