"""Reads what Qwen Code prints under `--output-format stream-json`. Checked on 0.24.4 and 0.15.10.

It looks like Claude Code's stream and means other things: what the cache served is part of the input, the usage of a
result is that of the whole session, and up to 0.15 a refused request ends in a result that claims success.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.http_status import kind_of_status
from harness.agents.json_lines import Record, decode, identifier, one_line, record, records, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import ErrorKind, Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

MAX_WRITES = 1000  # tools at work at once whose paths are remembered

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_WRITES = ("write_file", "edit")
_DETAILS = ("command", "file_path", "pattern", "query", "url", "path", "prompt", "description")
_API_ERROR = re.compile(r"\[API Error: (?:(\d{3})\b)?")
_NO_KEY = "Missing API key"
_GONE = "No saved session found with ID "


class QwenStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._began = False
        self._open = True  # something may have been used that no result has stated
        self._model: str | None = None
        self._error: str | None = None  # of the newest main message
        self._writes: dict[str, str] = {}  # paths by the tool call that is writing them

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        self._began = True
        message, main = record(found.get("message")), found.get("parent_tool_use_id") is None
        match found["type"], found.get("subtype"):
            case "system", "init":
                return self._init(found)
            case "assistant", _:
                return self._assistant(message, main=main)
            case "user", _:
                return self._tool_results(message)
            case "result", _:
                return self._result(found)
        return ()

    def end(self) -> Sequence[Report]:
        """What no result has stated is not known; without a beginning its standard error says whether it is gone."""
        for line in () if self._began else last_lines(self._beside.errors):
            if line.startswith(_GONE):
                return (Usage(counts=_NOTHING), Result(ok=False, error=line, session_gone=True))
        return (Usage(counts=Counts(), model=self._model),) if self._open else ()

    def _init(self, found: Record) -> Sequence[Report]:
        session, self._model = identifier(found.get("session_id")), identifier(found.get("model"))
        named = [] if self._model is None else [Model(name=self._model)]
        return named if session is None else [Session(id=session), *named]

    def _assistant(self, message: Record, *, main: bool) -> Sequence[Report]:
        usage, content = record(message.get("usage")), records(message.get("content"))
        words = "".join(text(block.get("text")) or "" for block in content)
        # The words of the CLI itself, in the place of an answer: no answer of a model has no output.
        refused = words.startswith("[API Error: ") and not usage.get("output_tokens")
        if main:
            self._error = words if refused else None
        if refused:
            return ()
        self._open = True
        reports: list[Report] = [Turn()] if main else []
        for block in content:
            reports += self._block(block, main=main)
        model, request = identifier(message.get("model")) or self._model, identifier(message.get("id"))
        if usage and request is not None:
            reports.append(Usage(counts=_counts(usage), model=model, request=request))
        return reports

    def _block(self, block: Record, *, main: bool) -> Sequence[Report]:
        match block.get("type"):
            case "text":
                words = text(block.get("text"))
                return (Text(text=words),) if words and main else ()
            case "tool_use":
                name, given = identifier(block.get("name")) or "?", record(block.get("input"))
                call, path = block.get("id"), text(given.get("file_path")) if name in _WRITES else None
                if isinstance(call, str) and path and len(self._writes) < MAX_WRITES:
                    self._writes[call] = path
                detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
                return (Tool(name=name, detail=detail),)
        return ()

    def _tool_results(self, message: Record) -> Sequence[Report]:
        written: list[Report] = []
        for block in records(message.get("content")):
            path = self._writes.pop(str(block.get("tool_use_id")), None)
            if path is not None and block.get("is_error") is not True:
                written.append(File(path=path))
        return written

    def _result(self, found: Record) -> Sequence[Report]:
        self._open = False
        counts = _counts(record(found.get("usage")))
        if found.get("num_turns") == 0:  # it did not come to a request
            counts = _NOTHING
        usage = Usage(counts=counts, model=self._model, cumulative=True, settles=True)
        if found.get("is_error") is True:
            message = text(record(found.get("error")).get("message")) or text(found.get("result")) or "it failed"
            return (usage, Failure(kind=_kind(message), message=message), Result(ok=False, error=message))
        if self._error is not None:
            # K4: what claims to be an answer is no strong signal of a refused sign-in.
            failure = Failure(kind=ErrorKind.OTHER, message=self._error)
            return (usage, failure, Result(ok=False, error=self._error))
        denied = [identifier(one.get("tool_name")) or "?" for one in records(found.get("permission_denials"))]
        return (usage, Result(ok=True, text=text(found.get("result")), denied=tuple(dict.fromkeys(denied))))


def _kind(message: str) -> ErrorKind:
    """The kind of a structured error, by how its message begins."""
    if message.startswith(_NO_KEY):
        return ErrorKind.AUTH
    found = _API_ERROR.match(message)
    return kind_of_status(int(found[1])) if found is not None and found[1] else ErrorKind.OTHER


def _counts(usage: Record) -> Counts:
    total, read = whole(usage.get("input_tokens")), whole(usage.get("cache_read_input_tokens"))
    uncached = None if total is None or read is None else total - read
    return Counts(
        input=uncached if uncached is None or uncached >= 0 else None,
        output=whole(usage.get("output_tokens")),
        cache_read=read,
    )
