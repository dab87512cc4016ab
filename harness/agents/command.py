"""`cli = "command"`: any program is an agent, by its plain output or by one report a line.

A line that is not exactly one of the reports is `Unknown`, and says why where it was meant as one. What can be told
from it all the same is never passed over: a `blocked` or an `error` without its text still says that the agent could
not proceed or failed, and a `usage` that cannot be read makes the sums 'at least'. An `error` line is the program's own
word that it failed, and nothing that comes later takes it back, not even exit status 0 (O3, A5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from signal import SIGTERM
from typing import Any

from harness.agents.base import NOTHING_BESIDE, Beside, Brief, CredentialShape, Invocation, Reader
from harness.agents.json_lines import MAX_ID, Record, decode, identifier, nano_dollars, one_line, text, whole
from harness.agents.plain_output import PlainOutput
from harness.nearest import quoted, suggestion
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
        """The reports of this line; `Unknown` is among them unless all of it was understood."""
        try:
            report = _report(line)
        except _Misfit as misfit:
            reports: tuple[Report, ...] = (*misfit.told, Unknown(line=line, why=str(misfit)))
        else:
            if report is None:
                return (Unknown(line=line),) if line.strip() else ()
            reports = (report,)
        for one in reports:
            if isinstance(one, Failure):
                self._error = one.message
        return reports

    def end(self) -> Sequence[Report]:
        """A failed result when the program said so; else none, and the exit status is the result."""
        return () if self._error is None else (Result(ok=False, error=self._error),)


class _Misfit(Exception):
    """A line that is no report, though it was meant as one: why, and what it tells all the same."""

    def __init__(self, why: str, *told: Report) -> None:
        super().__init__(why)
        self.told = told


def _report(line: bytes) -> Report | None:
    """The report of this line, `None` for one that was never meant as one."""
    found = decode(line)
    if found is None:
        meant = _MEANT.match(line)
        if meant is not None:
            raise _Misfit("it cannot be read as JSON", *_TOLD.get(meant[1], ()))
    if found is None or "report" not in found:
        return None
    kind = found["report"]
    if not isinstance(kind, str):
        raise _Misfit("report must be text")
    reader = _KINDS.get(kind)
    if reader is None:
        raise _Misfit(f"there is no report {quoted(kind)}; {suggestion(kind, _KINDS)}")
    return reader(found)


def _turn(found: Record) -> Turn:
    return Turn()


def _session(found: Record) -> Session:
    return Session(id=_name(found, "session", "id"))


def _text(found: Record) -> Text:
    return Text(text=_words(found, "text", "text"))


def _tool(found: Record) -> Tool:
    detail = _words({"detail": "", **found}, "tool", "detail")
    return Tool(name=_name(found, "tool", "name"), detail=one_line(detail))


def _file(found: Record) -> File:
    path = _words(found, "file", "path")
    if not path or "\0" in path:
        raise _Misfit("path of file must be a path")
    return File(path=path)


def _blocked(found: Record) -> Blocked:
    return Blocked(reason=_words(found, "blocked", "reason", *_TOLD[b"blocked"]))


def _error(found: Record) -> Failure:
    given = found.get("kind", ErrorKind.OTHER)
    known = isinstance(given, str) and given in list(ErrorKind)
    kind = ErrorKind(str(given)) if known else ErrorKind.OTHER
    message = _words(found, "error", "message", Failure(kind=kind, message=_NO_MESSAGE))
    resets_at = text(found.get("resets_at"))
    failure = Failure(kind=kind, message=message or f"it reported an error of kind '{kind}'", resets_at=resets_at)
    if not known:
        meant = suggestion(given, list(ErrorKind)) if isinstance(given, str) else "it must be text"
        raise _Misfit(f"kind of error cannot be {quoted(str(given))}; {meant}", failure)
    return failure


def _usage(found: Record) -> Usage:
    unread = Usage(counts=Counts(), at_least=True)
    given = {key: value for key, value in found.items() if value is not None}
    read: dict[str, Any] = {}
    for keys, reader, what in _OF_USAGE:
        for key in keys:
            if key in given:
                read[key] = reader(given[key])
                if read[key] is None:
                    raise _Misfit(f"{key} of usage must be {what}", unread)
    return Usage(
        counts=Counts(**{key: read.get(key) for key in _TOKENS}, cost=read.get("cost_usd")),
        model=read.get("model"),
        request=read.get("id"),
        cumulative=read.get("cumulative", False),
    )


def _words(found: Record, report: str, key: str, *told: Report) -> str:
    if key not in found:
        raise _Misfit(f"{report} needs {key}", *told)
    words = text(found[key])
    if words is None:
        raise _Misfit(f"{key} of {report} must be text", *told)
    return words


def _name(found: Record, report: str, key: str) -> str:
    name = identifier(_words(found, report, key))
    if name is None:
        raise _Misfit(f"{key} of {report} must be 1 to {MAX_ID} printable characters that do not begin with '-'")
    return name


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


_NO_MESSAGE = "said error without a message"
_MEANT = re.compile(rb'\s*\{\s*"report"\s*:\s*"(\w+)"')
_TOLD: Mapping[bytes, tuple[Report, ...]] = {
    b"blocked": (Blocked(reason="said blocked without a reason"),),
    b"error": (Failure(kind=ErrorKind.OTHER, message=_NO_MESSAGE),),
}
_KINDS: Mapping[str, Callable[[Record], Report]] = {
    "session": _session,
    "turn": _turn,
    "text": _text,
    "usage": _usage,
    "tool": _tool,
    "file": _file,
    "blocked": _blocked,
    "error": _error,
}
_TOKENS = ("input", "output", "cache_read", "cache_write")
_OF_USAGE: tuple[tuple[tuple[str, ...], Callable[[object], object], str], ...] = (
    (("id", "model"), identifier, f"1 to {MAX_ID} printable characters that do not begin with '-'"),
    (_TOKENS, whole, "a whole number, 0 or more"),
    (("cost_usd",), nano_dollars, "a number of dollars, 0 or more"),
    (("cumulative",), _flag, "true or false"),
)
