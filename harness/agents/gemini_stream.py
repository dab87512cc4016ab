"""Reads what Gemini CLI prints under `--output-format stream-json`. Checked on 0.61.0.

A turn is what the model said between the results of tools: its stream names no requests. An error after retries in the
middle of a stream has a result marked as error and exit 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.gemini_errors import is_gone, kind_of_message, kind_of_refusal, reset_of_message
from harness.agents.json_lines import Record, decode, identifier, one_line, record, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

MAX_WRITES = 1000  # tools at work at once whose paths are remembered

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_WRITES = ("write_file", "replace")
_DETAILS = ("command", "file_path", "pattern", "query", "url", "path", "prompt", "description")


class GeminiStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._model: str | None = None
        self._began = False
        self._in_turn = False
        self._settled = False
        self._words: list[str] = []  # of the answer that is being given
        self._answer: str | None = None
        self._error: str | None = None
        self._writes: dict[str, str] = {}  # paths by the tool call that is writing them

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        match found["type"]:
            case "init":
                return self._init(found)
            case "message" if found.get("role") == "assistant":
                words = text(found.get("content"))
                self._words += [words] if words else []
                return self._turn()
            case "tool_use":
                return [*self._turn(), *self._spoken(), *self._tool(found)]
            case "tool_result":
                self._in_turn = False
                path = self._writes.pop(str(found.get("tool_id")), None)
                return (File(path=path),) if path is not None and found.get("status") == "success" else ()
            case "error":
                self._error = text(found.get("message"))
            case "result":
                return self._result(found)
        return ()

    def end(self) -> Sequence[Report]:
        """What no result has stated is not known; without a beginning its standard error says why there was none."""
        if self._settled:
            return ()
        for line in () if self._began else last_lines(self._beside.errors):
            if is_gone(line):
                return (Usage(counts=_NOTHING), Result(ok=False, error=line, session_gone=True))
            kind = kind_of_refusal(line)
            if kind is not None:
                failure = Failure(kind=kind, message=line)
                return (Usage(counts=_NOTHING), failure, Result(ok=False, error=line))
        return (*self._spoken(), Usage(counts=Counts(), model=self._model))

    def _init(self, found: Record) -> Sequence[Report]:
        self._began = True
        session, self._model = identifier(found.get("session_id")), identifier(found.get("model"))
        reports: list[Report] = [] if session is None else [Session(id=session)]
        return reports if self._model is None else [*reports, Model(name=self._model)]

    def _turn(self) -> list[Report]:
        if self._in_turn:
            return []
        self._in_turn = True
        return [Turn()]

    def _spoken(self) -> list[Report]:
        """The words since the last tool, which come in pieces."""
        if not self._words:
            return []
        self._answer = "".join(self._words)
        self._words = []
        return [Text(text=self._answer)]

    def _tool(self, found: Record) -> Sequence[Report]:
        name, given = identifier(found.get("tool_name")) or "?", record(found.get("parameters"))
        call, path = found.get("tool_id"), text(given.get("file_path")) if name in _WRITES else None
        if isinstance(call, str) and path and len(self._writes) < MAX_WRITES:
            self._writes[call] = path
        detail = next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
        return (Tool(name=name, detail=detail),)

    def _result(self, found: Record) -> Sequence[Report]:
        self._settled = True
        reports = [*self._spoken(), *self._usage(record(found.get("stats")))]
        if found.get("status") == "success":
            return [*reports, Result(ok=True, text=self._answer)]
        message = text(record(found.get("error")).get("message")) or self._error or "its result is marked as an error"
        kind, resets_at = kind_of_message(message), reset_of_message(message)
        return [
            *reports,
            Failure(kind=kind, message=message, resets_at=resets_at),
            Result(ok=False, error=message),
        ]

    def _usage(self, stats: Record) -> list[Report]:
        models = record(stats.get("models"))
        # An answer that broke off was paid for, and its tokens are nowhere.
        broke_off = self._error is not None
        if not models:
            return [Usage(counts=_counts(stats), model=self._model, at_least=broke_off)]
        return [
            Usage(counts=_counts(record(one)), model=identifier(name), at_least=broke_off or _has_more(record(one)))
            for name, one in models.items()
        ]


def _counts(stats: Record) -> Counts:
    return Counts(
        input=whole(stats.get("input")),
        output=whole(stats.get("output_tokens")),
        cache_read=whole(stats.get("cached")),
    )


def _has_more(stats: Record) -> bool:
    """Whether its total holds tokens that stand nowhere else: of thoughts, or of tools on the server's side."""
    total, given, made = (whole(stats.get(key)) for key in ("total_tokens", "input_tokens", "output_tokens"))
    return total is not None and total > (given or 0) + (made or 0)
