"""Reads what `codex exec --json` prints. Checked on 0.171.0.

Only `turn.completed` and `turn.failed` are final: an `error` is also said for each try that is to follow, and an item
of that type is a warning. `turn.completed` counts the whole session: a turn that failed is in it, one that was killed
is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.base import NOTHING_BESIDE, Beside
from harness.agents.codex_errors import kind_of_message, reset_of_message
from harness.agents.json_lines import Record, decode, identifier, one_line, record, records, text, whole
from harness.agents.standard_error import last_lines
from harness.reports import Failure, File, Report, Result, Session, Text, Tool, Turn, Unknown, Usage
from store.model import Counts

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
_TOOLS = ("command_execution", "mcp_tool_call", "file_change", "web_search")
_WRITTEN = ("add", "update")
_GONE = "no rollout found for thread id"


class CodexStream:
    """Reads one attempt."""

    def __init__(self, beside: Beside = NOTHING_BESIDE) -> None:
        self._beside = beside
        self._began = False
        self._settled = False
        self._answer: str | None = None
        self._at_work: str | None = None  # the item that was begun last

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        match found["type"]:
            case "thread.started":
                return self._session(found)
            case "item.started":
                item = record(found.get("item"))
                self._at_work = identifier(item.get("id"))
                return _tool(item)
            case "item.completed":
                return self._item(record(found.get("item")))
            case "error":
                message = text(found.get("message")) or ""
                kind, resets_at = kind_of_message(message), reset_of_message(message)
                return (Failure(kind=kind, message=message, retrying=True, resets_at=resets_at),)
            case "turn.completed":
                return self._completed(record(found.get("usage")))
            case "turn.failed":
                return self._failed(text(record(found.get("error")).get("message")) or "")
        return ()

    def end(self) -> Sequence[Report]:
        """What no turn has stated is not known; without a session its standard error says whether it is gone (R17)."""
        if self._settled:
            return ()
        if not self._began:
            gone = next((line for line in last_lines(self._beside.errors) if _GONE in line), None)
            if gone is not None:
                return (Usage(counts=_NOTHING), Result(ok=False, error=gone, session_gone=True))
        return (Usage(counts=Counts()),)

    def _session(self, found: Record) -> Sequence[Report]:
        self._began = True
        session = identifier(found.get("thread_id"))
        return () if session is None else (Session(id=session),)

    def _item(self, item: Record) -> Sequence[Report]:
        words = text(item.get("text"))
        if item.get("type") == "agent_message" and words:
            self._answer = words
            return (Text(text=words),)
        begun = identifier(item.get("id")) == self._at_work
        reports: list[Report] = [] if begun else list(_tool(item))
        if item.get("type") == "file_change" and item.get("status") == "completed":
            changes = [one for one in records(item.get("changes")) if one.get("kind") in _WRITTEN]
            reports += [File(path=path) for one in changes if (path := text(one.get("path")))]
        return reports

    def _completed(self, usage: Record) -> Sequence[Report]:
        self._settled = True
        return (Turn(), Usage(counts=_counts(usage), cumulative=True), Result(ok=True, text=self._answer))

    def _failed(self, message: str) -> Sequence[Report]:
        self._settled = True
        kind, resets_at = kind_of_message(message), reset_of_message(message)
        failure = Failure(kind=kind, message=message, resets_at=resets_at)
        return (Usage(counts=Counts()), failure, Result(ok=False, error=message or "its turn failed"))


def _tool(item: Record) -> Sequence[Report]:
    kind = item.get("type")
    if kind not in _TOOLS:
        return ()
    if kind == "mcp_tool_call":
        name = f"{identifier(item.get('server')) or '?'}.{identifier(item.get('tool')) or '?'}"
        return (Tool(name=name),)
    changes = records(item.get("changes"))
    detail = (
        text(item.get("command")) or text(item.get("query")) or next((text(one.get("path")) for one in changes), "")
    )
    return (Tool(name=str(kind), detail=one_line(detail or "")),)


def _counts(usage: Record) -> Counts:
    """Its input holds what the cache served and took in. A 0 for the latter is said by providers that do not tell."""
    total, read = whole(usage.get("input_tokens")), whole(usage.get("cached_input_tokens"))
    written = whole(usage.get("cache_write_input_tokens")) or None
    uncached = None if total is None or read is None else total - read - (written or 0)
    return Counts(
        input=uncached if uncached is None or uncached >= 0 else None,
        output=whole(usage.get("output_tokens")),
        cache_read=read,
        cache_write=written,
    )
