"""What the errors of Gemini CLI mean: those of its result, and those for which it did not begin.

The message of a result is made by the CLI: the server's error in brackets, as JSON where it came as such, with a
sentence after it for status 429.
"""

from __future__ import annotations

import json
import re

from harness.agents.http_status import kind_of_status
from harness.agents.json_lines import record, records, whole
from harness.reports import ErrorKind

_API_ERROR = re.compile(r"\[API Error: (.*)\](.*)", re.DOTALL)
_AFTER_429 = "\nPlease wait and try again later."
_EXHAUSTED = "You have exhausted your "
_RESET = re.compile(r"quota will reset after (\w+)")
_GONE = "Error resuming session: "
_NOT_BEGUN = (
    ("When using Gemini API, you must specify the GEMINI_API_KEY", ErrorKind.AUTH),
    ("Please set an Auth method", ErrorKind.AUTH),
    ("Gemini CLI is not running in a trusted directory", ErrorKind.OTHER),
)


def kind_of_message(message: str) -> ErrorKind:
    """The kind of failure that the message of a result stands for."""
    found = _API_ERROR.fullmatch(message)
    if found is None:
        return ErrorKind.OTHER
    told, after = found[1], found[2]
    if told.startswith(_EXHAUSTED):
        return ErrorKind.USAGE_LIMIT
    try:
        error = record(record(json.loads(told)).get("error"))
    except (ValueError, RecursionError):
        return ErrorKind.RATE_LIMIT if after.startswith(_AFTER_429) else ErrorKind.OTHER
    if any(one.get("reason") == "API_KEY_INVALID" for one in records(error.get("details"))):
        return ErrorKind.AUTH
    return kind_of_status(whole(error.get("code")))


def reset_of_message(message: str) -> str | None:
    """When a usage limit is lifted, in its own words."""
    found = _RESET.search(message) if kind_of_message(message) is ErrorKind.USAGE_LIMIT else None
    return None if found is None else f"after {found[1]}"


def is_gone(line: str) -> bool:
    """Whether this line of standard error says that there is no such session."""
    return line.startswith(_GONE) and ("No previous sessions found" in line or "Invalid session identifier" in line)


def kind_of_refusal(line: str) -> ErrorKind | None:
    """What kept it from beginning; `None` when this line of standard error says nothing of that."""
    return next((kind for beginning, kind in _NOT_BEGUN if line.startswith(beginning)), None)
