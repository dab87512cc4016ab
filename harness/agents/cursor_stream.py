"""Reads what Cursor CLI is documented to print under `--output-format stream-json`. Never checked on real output.

A result is printed for success alone. Each line of the assistant is one whole message.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.json_lines import Record, decode, identifier, one_line, record, records, text
from harness.reports import File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

_SUFFIX = "ToolCall"
_WRITES = ("write", "edit")
_DETAILS = ("command", "path", "pattern", "query", "url")


class CursorStream:
    """Reads one attempt."""

    def __init__(self) -> None:
        self._answer: str | None = None

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        match found["type"], found.get("subtype"):
            case "system", "init":
                session, model = identifier(found.get("session_id")), identifier(found.get("model"))
                named: list[Report] = [] if session is None else [Session(id=session)]
                return named if model is None else [*named, Model(name=model)]
            case "assistant", _:
                return self._message(record(found.get("message")))
            case "tool_call", "started" | "completed":
                return _tool(record(found.get("tool_call")), completed=found["subtype"] == "completed")
            case "result", _:
                return (self._result(found),)
        return ()

    def end(self) -> Sequence[Report]:
        """That what it has used is not known."""
        return (Usage(counts=Counts()),)

    def _message(self, message: Record) -> Sequence[Report]:
        words = "".join(text(part.get("text")) or "" for part in records(message.get("content")))
        self._answer = words or self._answer
        return (Turn(), Text(text=words)) if words else (Turn(),)

    def _result(self, found: Record) -> Result:
        words = text(found.get("result"))
        if found.get("subtype") == "success" and found.get("is_error") is not True:
            # Its own text is that of every message in one; the answer is the last of them.
            return Result(ok=True, text=self._answer or words)
        return Result(ok=False, error=words or "its result is marked as an error")


def _tool(call: Record, *, completed: bool) -> Sequence[Report]:
    """One call stands under the name of its kind: `{"writeToolCall": {"args": …, "result": …}}`."""
    kind, told = next(((key, record(value)) for key, value in call.items() if key.endswith(_SUFFIX)), ("?", {}))
    name, given = identifier(kind.removesuffix(_SUFFIX)) or "?", record(told.get("args"))
    if not completed:
        detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
        return (Tool(name=name, detail=detail),)
    path = text(given.get("path")) if name in _WRITES and "success" in record(told.get("result")) else None
    return (File(path=path),) if path else ()
