"""`cli = "command"`: any program is an agent, by its plain output or by one report a line.

The lines are those of contract.md. A line that is not exactly one of them is `Unknown`: a missing key means unknown, a
key of the wrong type means that the line is not understood. An `error` line is the program's own word that it failed,
and nothing that comes later takes it back, not even exit status 0 (O3, A5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from signal import SIGTERM

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.json_lines import Record, decode, identifier, nano_dollars, one_line, text, whole
from harness.agents.plain_output import PlainOutput
from harness.reports import (
    Blocked,
    ErrorKind,
    Failure,
    File,
    Report,
    Result,
    Session,
    Text,
    Tool,
    Turn,
    Unknown,
    Usage,
)
from harness.session_argument import with_session
from store.model import Counts


class Command:
    """The adapter for a program that the workflow names in `run`."""

    name = "command"
    program = ""
    metered = False
    gives_result = False
    takes_lines = False
    chooses_session = False
    resumes = True
    polite = SIGTERM
    patience = 0.0
    version = ()
    tested = ""
    limits = ()

    def invoke(self, brief: Brief) -> Invocation:
        """`resume` with the session's id in it where there is both, else `run`; the prompt on standard input."""
        if brief.session is not None and brief.resume:
            argv = with_session(brief.resume, brief.session)
            return Invocation(argv=argv, stdin=brief.prompt, session=brief.session)
        return Invocation(argv=brief.run, stdin=brief.prompt)

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """With `reports` a reader of lines, else one that reads nothing, since the output is the answer."""
        return ReportLines() if reports else PlainOutput()

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """`None`: a command's credential is the one that its workflow declares."""
        return None


class ReportLines:
    """Reads one report a line."""

    def __init__(self) -> None:
        self._error: str | None = None

    def read(self, line: bytes) -> Sequence[Report]:
        """The report of this line; `Unknown` when it is none."""
        found = decode(line)
        if found is None:
            return (Unknown(line=line),) if line.strip() else ()
        if found.get("report") == "error":
            return self._failure(found, line)
        report = _report(found)
        return (Unknown(line=line) if report is None else report,)

    def end(self) -> Sequence[Report]:
        """A failed result when the program said so; else none, and the exit status is the result."""
        return () if self._error is None else (Result(ok=False, error=self._error),)

    def _failure(self, found: Record, line: bytes) -> Sequence[Report]:
        message = text(found.get("message", ""))
        kind = found.get("kind", "other")
        if message is None or not isinstance(kind, str):
            return (Unknown(line=line),)
        known = kind in list(ErrorKind)
        kind = ErrorKind(kind) if known else ErrorKind.OTHER
        self._error = message or f"it reported an error of kind '{kind}'"
        failure = Failure(kind=kind, message=self._error)
        # A kind that nobody knows is not understood, and a failure all the same.
        return (failure,) if known else (failure, Unknown(line=line))


def _report(found: Record) -> Report | None:
    match found.get("report"):
        case "turn":
            return Turn()
        case "usage":
            return _usage(found)
        case "session":
            session = identifier(found.get("id"))
            return None if session is None else Session(id=session)
        case "text":
            words = text(found.get("text"))
            return None if words is None else Text(text=words)
        case "tool":
            tool, detail = identifier(found.get("name")), text(found.get("detail", ""))
            return None if tool is None or detail is None else Tool(name=tool, detail=one_line(detail))
        case "file":
            path = text(found.get("path"))
            return None if not path or "\0" in path else File(path=path)
        case "blocked":
            reason = text(found.get("reason"))
            return None if reason is None else Blocked(reason=reason)
    return None


def _usage(found: Record) -> Usage | None:
    given = {key: value for key, value in found.items() if value is not None}
    names = {key: identifier(given[key]) for key in ("id", "model") if key in given}
    tokens = {key: whole(given[key]) for key in ("input", "output", "cache_read", "cache_write") if key in given}
    cost = nano_dollars(given["cost_usd"]) if "cost_usd" in given else None
    cumulative = given.get("cumulative", False)
    refused = None in names.values() or None in tokens.values() or ("cost_usd" in given and cost is None)
    if refused or not isinstance(cumulative, bool):
        return None
    return Usage(
        counts=Counts(**tokens, cost=cost),
        model=names.get("model"),
        request=names.get("id"),
        cumulative=cumulative,
    )
