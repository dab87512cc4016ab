"""Reads what Claude Code prints under `--output-format stream-json`. Checked on 2.1.332.

`subtype` is 'success' for every API error; only `is_error` tells. One process may give several results, when work in
the background wakes it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.claude_errors import error_of, kind_of, limit_of, moment, reset_of
from harness.agents.claude_usage import ClaudeUsage
from harness.agents.json_lines import Record, decode, identifier, one_line, record, records, text, whole
from harness.reports import ErrorKind, Failure, File, Model, Report, Result, Session, Text, Tool, Turn, Unknown

MAX_WRITES = 1000  # tools at work at once whose paths are remembered

_MADE_UP = "<synthetic>"  # the model of a message that the CLI wrote itself
_WRITES = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}
_DETAILS = ("command", "file_path", "notebook_path", "pattern", "url", "query", "description", "prompt", "path")


class ClaudeStream:
    """Reads one attempt."""

    def __init__(self) -> None:
        self._usage = ClaudeUsage()
        self._model: str | None = None
        self._message: str | None = None  # the main message whose turn was counted
        self._error: ErrorKind | None = None  # of the newest main message
        self._resets_at: str | None = None
        self._writes: dict[str, str] = {}  # paths by the tool call that is writing them

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of this line; kinds of lines that say nothing for us give none."""
        found = decode(line)
        if found is None or not isinstance(found.get("type"), str):
            return (Unknown(line=line),) if line.strip() else ()
        match found["type"], found.get("subtype"):
            case "system", "init":
                return self._init(found)
            case "system", "api_retry":
                return self._retry(found)
            case "assistant", _:
                return self._assistant(found)
            case "user", _:
                return self._tool_results(found)
            case "rate_limit_event", _:
                return self._limit(record(found.get("rate_limit_info")))
            case "result", _:
                return self._result(found)
        return ()

    def end(self) -> Sequence[Report]:
        """What no result has stated is not known. What a missing result means is for the table of endings."""
        return self._usage.of_end(self._model)

    def _init(self, found: Record) -> Sequence[Report]:
        session = identifier(found.get("session_id"))
        named = self._named(found.get("model"))
        return named if session is None else [Session(id=session), *named]

    def _named(self, model: object) -> list[Report]:
        name = identifier(model)
        if name is None or name == self._model:
            return []
        self._model = name
        return [Model(name=name)]

    def _retry(self, found: Record) -> Sequence[Report]:
        status = whole(found.get("error_status"))
        if status is None:  # no answer at all, or one that ended in the middle
            self._usage.broke_off()
        error = text(found.get("error")) or "unknown"
        message = error if status is None else f"{error} ({status})"
        attempt, most = whole(found.get("attempt")), whole(found.get("max_retries"))
        if attempt is not None and most is not None:
            message += f", try {attempt} of {most} to follow"
        return (Failure(kind=kind_of(found, status), message=message, retrying=True),)

    def _assistant(self, found: Record) -> Sequence[Report]:
        message, main = record(found.get("message")), found.get("parent_tool_use_id") is None
        content = records(message.get("content"))
        failed = found.get("error") is not None
        reports: list[Report] = [self._failure(found, content)] if failed else []
        if main:
            self._error = kind_of(found, whole(found.get("api_error_status"))) if failed else None
        if message.get("model") == _MADE_UP:
            return reports
        if main:
            reports += self._named(message.get("model"))
            reports += self._turn(identifier(message.get("id")))
        reports += self._usage.of_message(message)
        for block in content:
            reports += self._block(block, main)
        return reports

    def _failure(self, found: Record, content: Sequence[Record]) -> Report:
        self._resets_at = reset_of(found) or self._resets_at
        kind = kind_of(found, whole(found.get("api_error_status")))
        words = "\n".join(text(block.get("text")) or "" for block in content)
        # Only its result says that it gives up; after a sub-agent's failure the agent goes on.
        return Failure(kind=kind, message=words, retrying=True, resets_at=self._reset_for(kind))

    def _reset_for(self, kind: ErrorKind) -> str | None:
        return self._resets_at if kind is ErrorKind.USAGE_LIMIT else None

    def _turn(self, message: str | None) -> Sequence[Report]:
        if message is not None and message == self._message:
            return ()
        self._message = message
        return (Turn(),)

    def _block(self, block: Record, main: bool) -> Sequence[Report]:
        match block.get("type"):
            case "text":
                words = text(block.get("text"))
                # The words of a sub-agent are no answer of the agent.
                return (Text(text=words),) if words and main else ()
            case "tool_use":
                name, given = identifier(block.get("name")) or "?", record(block.get("input"))
                call, path = block.get("id"), text(given.get(_WRITES.get(name, "")))
                if isinstance(call, str) and path and len(self._writes) < MAX_WRITES:
                    self._writes[call] = path
                return (Tool(name=name, detail=_detail(given)),)
        return ()

    def _tool_results(self, found: Record) -> Sequence[Report]:
        written: list[Report] = []
        for block in records(record(found.get("message")).get("content")):
            path = self._writes.pop(str(block.get("tool_use_id")), None)
            if path is not None and block.get("is_error") is not True:
                written.append(File(path=path))
        return written

    def _limit(self, info: Record) -> Sequence[Report]:
        paid_beyond = info.get("isUsingOverage") is True or info.get("overageStatus") in ("allowed", "allowed_warning")
        if info.get("status") != "rejected" or paid_beyond:
            return ()
        self._resets_at = moment(info.get("resetsAt"))
        message = f"the usage limit is reached ({text(info.get('rateLimitType')) or 'unnamed'})"
        kind = ErrorKind.USAGE_LIMIT
        return (Failure(kind=kind, message=message, retrying=True, resets_at=self._resets_at),)

    def _result(self, found: Record) -> Sequence[Report]:
        ok = found.get("subtype") == "success" and found.get("is_error") is not True
        error, status = None if ok else error_of(found), whole(found.get("api_error_status"))
        reports: list[Report] = list(self._usage.of_result(found, self._model))
        if error is not None and (status is not None or self._error is not None):
            kind = self._error or kind_of(found, status)
            reports.append(Failure(kind=kind, message=error, resets_at=self._reset_for(kind)))
        denied = [identifier(one.get("tool_name")) or "?" for one in records(found.get("permission_denials"))]
        reports.append(
            Result(
                ok=ok,
                text=text(found.get("result")) if ok else None,
                error=error,
                denied=tuple(dict.fromkeys(denied)),
                limit=limit_of(found),
                session_gone=error is not None and error.startswith("No conversation found"),
            )
        )
        return reports


def _detail(given: Record) -> str:
    return next((one_line(words) for key in _DETAILS if (words := text(given.get(key)))), "")
