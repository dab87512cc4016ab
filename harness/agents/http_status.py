"""What a status of a model server means, for the CLIs that pass it on."""

from __future__ import annotations

from harness.reports import ErrorKind

_KINDS = {
    401: ErrorKind.AUTH,
    402: ErrorKind.USAGE_LIMIT,
    403: ErrorKind.AUTH,
    429: ErrorKind.RATE_LIMIT,
    503: ErrorKind.OVERLOADED,
    529: ErrorKind.OVERLOADED,
}


def kind_of_status(status: int | None) -> ErrorKind:
    """The kind of failure that this HTTP status stands for; `None` when there was none."""
    return ErrorKind.OTHER if status is None else _KINDS.get(status, ErrorKind.OTHER)
