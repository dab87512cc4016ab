"""Ids that sort by time and are unique across records."""

from __future__ import annotations

import os
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no letter that reads like a digit
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_EPOCH_MS = 1_577_836_800_000  # 2020-01-01; forty bits of milliseconds last until 2054


def _base32(number: int, width: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(5 * width - 10, -1, -10)])


def new_id(random_width: int = 8) -> str:
    """A fresh id: eight characters of time in milliseconds, then `random_width` random ones, an even number."""
    moment = max(0, time.time_ns() // 1_000_000 - _EPOCH_MS)
    return _base32(moment, 8) + _base32(int.from_bytes(os.urandom(random_width), "big"), random_width)


def new_run_id() -> str:
    """A fresh run id of twelve characters, short enough to read aloud."""
    return new_id(4)


def now_ms() -> int:
    """The wall clock in whole milliseconds since 1970, UTC: the unit of every time in the record."""
    return time.time_ns() // 1_000_000
