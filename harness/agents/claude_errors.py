"""What Claude Code's error fields mean. Only its own fields are looked at, never the words of an answer (K4)."""

from __future__ import annotations

from datetime import UTC, datetime

from harness.agents.http_status import kind_of_status
from harness.agents.json_lines import Record, record, text, whole
from harness.reports import ErrorKind
from store.model import Reason

# The names are those that 2.1.332 declares for `error` of a message and of a retry.
_KINDS = {
    "authentication_failed": ErrorKind.AUTH,
    "oauth_org_not_allowed": ErrorKind.AUTH,
    "account_on_hold": ErrorKind.AUTH,
    "verification_required": ErrorKind.AUTH,
    "cloud_credential_error": ErrorKind.AUTH,
    "billing_error": ErrorKind.USAGE_LIMIT,
    "rate_limit": ErrorKind.RATE_LIMIT,
    "overloaded": ErrorKind.OVERLOADED,
    "invalid_request": ErrorKind.OTHER,
    "model_not_found": ErrorKind.OTHER,
    "max_output_tokens": ErrorKind.OTHER,
}
_KINDS_OF_TYPE = {"billing_error": ErrorKind.USAGE_LIMIT, "overloaded_error": ErrorKind.OVERLOADED}
_LIMITS_REACHED = ("usage_limit_reached", "model_requires_usage_credits")
_ENDED_AT = {
    "max_turns": Reason.TURNS,
    "error_max_turns": Reason.TURNS,
    "budget_exhausted": Reason.BUDGET,
    "error_max_budget_usd": Reason.BUDGET,
}
_CUT_OFF = {
    "aborted_tools": "it was interrupted while a tool was at work",
    "aborted_streaming": "it was interrupted while it answered",
}
_LAST_SECOND = 253_402_300_799  # of the year 9999


def kind_of(found: Record, status: int | None) -> ErrorKind:
    """The kind of error that a message, a retry or a result names: by the narrowest field that says anything."""
    if found.get("api_error") in _LIMITS_REACHED:
        return ErrorKind.USAGE_LIMIT
    by_type = _KINDS_OF_TYPE.get(str(found.get("api_error_type")))
    by_name = _KINDS.get(str(found.get("error")))
    return by_type or by_name or kind_of_status(status)


def error_of(result: Record) -> str:
    """Why a result is an error, as a sentence or the CLI's own words."""
    cut_off = _CUT_OFF.get(str(result.get("terminal_reason")))
    given = result.get("errors")
    errors = [text(one) or "" for one in given] if isinstance(given, list) else []
    return cut_off or text(result.get("result")) or "; ".join(errors) or f"it ended with '{result.get('subtype')}'"


def limit_of(result: Record) -> Reason | None:
    """The limit of its own that it ended at."""
    return _ENDED_AT.get(str(result.get("terminal_reason"))) or _ENDED_AT.get(str(result.get("subtype")))


def reset_of(found: Record) -> str | None:
    """When the usage limit that refused a message is lifted (UTC, RFC 3339)."""
    return moment(record(record(found.get("api_error_params")).get("rate_limit_info")).get("resetsAt"))


def moment(seconds: object) -> str | None:
    """Seconds since 1970 as RFC 3339."""
    since = whole(seconds)
    if since is None or since > _LAST_SECOND:
        return None
    return datetime.fromtimestamp(since, UTC).isoformat().replace("+00:00", "Z")
