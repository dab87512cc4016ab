"""What a model server's answer means, for the CLIs that pass it on."""

from __future__ import annotations

import json

from harness.agents.json_lines import record
from harness.reports import ErrorKind

_KINDS = {
    401: ErrorKind.AUTH,
    402: ErrorKind.USAGE_LIMIT,
    403: ErrorKind.AUTH,
    429: ErrorKind.RATE_LIMIT,
    503: ErrorKind.OVERLOADED,
    529: ErrorKind.OVERLOADED,
}
# What the services name an error, in its `type` or its `code`, where that says more than the status.
_KINDS_OF_NAME = {
    "authentication_error": ErrorKind.AUTH,
    "invalid_api_key": ErrorKind.AUTH,
    "billing_error": ErrorKind.USAGE_LIMIT,
    "insufficient_quota": ErrorKind.USAGE_LIMIT,
    "usage_limit_reached": ErrorKind.USAGE_LIMIT,
    "overloaded_error": ErrorKind.OVERLOADED,
}


def kind_of_status(status: int | None) -> ErrorKind:
    """The kind of failure that this HTTP status stands for; `None` when there was none."""
    return ErrorKind.OTHER if status is None else _KINDS.get(status, ErrorKind.OTHER)


def kind_of_answer(status: int | None, body: str | None) -> ErrorKind:
    """The kind of failure by what the service names it in the body, else by the status. Its words do not count."""
    try:
        told = record(json.loads(body or ""))
    except (ValueError, RecursionError):
        return kind_of_status(status)
    error = record(told.get("error")) or told
    named = (_KINDS_OF_NAME.get(str(error.get(key))) for key in ("type", "code"))
    return next((kind for kind in named if kind is not None), kind_of_status(status))
