"""What the error messages of Codex mean.

Its events carry no status, only messages of a fixed shape, made by Codex or its provider and never by a model (K4).
Seen on 0.171.0, except where its program says so and nothing else: the usage limits and the lost sign-ins.
"""

from __future__ import annotations

import re

from harness.agents.http_status import kind_of_status
from harness.reports import ErrorKind

_TRYING_AGAIN = re.compile(r"Reconnecting\.\.\. \d+/\d+ \((.*)\)", re.DOTALL)
_STATUS = re.compile(r"(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b")
_RESET = re.compile(r"\btry again (?:at|in) (.+?)\.?$", re.IGNORECASE)
_KINDS = (
    ("You've hit your usage limit", ErrorKind.USAGE_LIMIT),
    ("You’ve hit your usage limit", ErrorKind.USAGE_LIMIT),
    ("Quota exceeded. ", ErrorKind.USAGE_LIMIT),
    ("Missing environment variable: ", ErrorKind.AUTH),
    ("Your access token could not be refreshed", ErrorKind.AUTH),
    ("Your authentication session could not be refreshed", ErrorKind.AUTH),
    ("rate limit exceeded: ", ErrorKind.RATE_LIMIT),
    ("Selected model is at capacity", ErrorKind.OVERLOADED),
    ("We’re currently experiencing high demand", ErrorKind.OVERLOADED),
)


def kind_of_message(message: str) -> ErrorKind:
    """The kind of failure, by how the message begins; what it says of trying again does not count."""
    trying_again = _TRYING_AGAIN.fullmatch(message)
    told = message if trying_again is None else trying_again[1]
    status = _STATUS.match(told)
    if status is not None:
        return kind_of_status(int(status[1]))
    return next((kind for beginning, kind in _KINDS if told.startswith(beginning)), ErrorKind.OTHER)


def reset_of_message(message: str) -> str | None:
    """When a usage limit is lifted, in its own words."""
    if kind_of_message(message) is not ErrorKind.USAGE_LIMIT:
        return None
    found = _RESET.search(message)
    return None if found is None else found[1]
