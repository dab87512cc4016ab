"""Reads what `opencode run --format json` prints. Checked on 1.18.33.

There is no final event: it is done when the last step of all ended with 'stop'. A tool is told only when it has
finished. A step that is tried again begins again, and only its end is told with tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.http_status import kind_of_answer
from harness.agents.json_lines import Record, decode, identifier, nano_dollars, one_line, record, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import ErrorKind, Failure, File, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_WRITES = ("write", "edit")
_DETAILS = ("command", "filePath", "pattern", "url", "query", "description", "prompt")
_REJECTED = "The user rejected permission to use this specific tool call."
_GONE = "Session not found"


class OpencodeStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._session: str | None = None
        self._answer: str | None = None
        self._ended_with: str | None = None  # why the step that was told last ended
        self._error: str | None = None
        self._denied: str | None = None
        self._tells_writes = False

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        return [*self._named(identifier(found.get("sessionID"))), *self._event(found, record(found.get("part")))]

    def end(self) -> Sequence[Report]:
        """Its result, and what is not known of its tokens."""
        if self._error is not None:
            return (Usage(counts=Counts()), Result(ok=False, error=self._error))
        if self._denied is not None:
            return (Result(ok=True, text=self._answer, denied=(self._denied,)),)
        if self._ended_with == "stop":
            return (Result(ok=True, text=self._answer),)
        if self._ended_with not in (None, "tool-calls"):
            return (Result(ok=False, error=f"its answer ended with '{self._ended_with}'"),)
        if self._session is None:
            gone = next((line for line in last_lines(self._beside.errors) if _GONE in line), None)
            if gone is not None:
                return (Usage(counts=_NOTHING), Result(ok=False, error=gone, session_gone=True))
        return (Usage(counts=Counts()),)

    def _named(self, session: str | None) -> Sequence[Report]:
        if session is None or session == self._session:
            return ()
        self._session = session
        return (Session(id=session),)

    def _event(self, found: Record, part: Record) -> Sequence[Report]:
        match found["type"]:
            case "step_start":
                self._ended_with = self._denied = None
            case "text":
                words = text(part.get("text"))
                self._answer = words or self._answer
                return (Text(text=words),) if words else ()
            case "tool_use":
                return self._tool(part)
            case "step_finish":
                self._ended_with = text(part.get("reason")) or "no reason"
                return (Turn(), self._usage(part))
            case "error":
                return self._failure(record(found.get("error")))
        return ()

    def _tool(self, part: Record) -> Sequence[Report]:
        name, state = identifier(part.get("tool")) or "?", record(part.get("state"))
        given = record(state.get("input"))
        if state.get("status") == "error" and state.get("error") == _REJECTED:
            self._denied = name
        detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
        path = text(given.get("filePath")) if name in _WRITES and state.get("status") == "completed" else None
        return (Tool(name=name, detail=detail), *((File(path=path),) if path else ()))

    def _usage(self, part: Record) -> Report:
        tokens = record(part.get("tokens"))
        cache = record(tokens.get("cache"))
        written = whole(cache.get("write"))
        self._tells_writes = self._tells_writes or bool(written)
        counts = Counts(
            input=whole(tokens.get("input")),
            output=_output(tokens, cache),
            cache_read=whole(cache.get("read")),
            cache_write=written if self._tells_writes else None,
            cost=nano_dollars(part.get("cost")) or None,
        )
        return Usage(counts=counts, request=identifier(part.get("id")))

    def _failure(self, error: Record) -> Sequence[Report]:
        data = record(error.get("data"))
        name = text(error.get("name")) or "error"
        self._error = text(data.get("message")) or name
        known = name == "ProviderAuthError"
        kind = kind_of_answer(whole(data.get("statusCode")), text(data.get("responseBody")))
        return (Failure(kind=ErrorKind.AUTH if known else kind, message=self._error),)


def _output(tokens: Record, cache: Record) -> int | None:
    """What the model wrote with what it thought, which its total shows to be told apart or not."""
    total, made, thought = (whole(tokens.get(key)) for key in ("total", "output", "reasoning"))
    if made is None or not thought:
        return made
    others = (tokens.get("input"), cache.get("read"), cache.get("write"))
    apart = total is None or total == made + thought + sum(whole(one) or 0 for one in others)
    return made + thought if apart else made
