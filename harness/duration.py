"""Durations as people write them: `30s`, `10m`, `8h`, `2d`, and several of these together."""

from __future__ import annotations

import re

LONGEST = 366 * 86_400.0
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = r"(?:([0-9]{1,12}(?:\.[0-9]{1,9})?)%s)?"
_DURATION = re.compile("".join(_PART % unit for unit in _SECONDS))


def parse_duration(text: str) -> float:
    """The seconds that `text` means, more than 0 and at most 366 days.

    Units go from large to small, each once: `1h30m` is one duration, `30m1h` is none. Raises `ValueError` with half a
    sentence that goes behind the name of what was given.
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None or not text.strip():
        raise ValueError('must be a duration such as "30s", "10m" or "8h"')
    seconds = sum(float(part) * unit for part, unit in zip(found.groups("0"), _SECONDS.values(), strict=True))
    if seconds <= 0:
        raise ValueError("must be longer than no time at all; leave it out for no limit")
    if seconds > LONGEST:
        raise ValueError("must be at most 366 days")
    return seconds


def format_duration(seconds: float) -> str:
    """`seconds` as a person would say it: '30m', '90s', '2h30m'."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    parts = [f"{figure}{unit}" for figure, unit in ((hours, "h"), (minutes, "m"), (left, "s")) if figure]
    return "".join(parts) or f"{seconds:g}s"
