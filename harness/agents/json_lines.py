"""One line of JSON and the kinds of value that readers take from it, each refused when it is not what it should be.

Whatever stands in a line, nothing here raises: a value that cannot be trusted is `None`.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from decimal import Decimal

from store.usage import NANO

MAX_TOKENS = 10**12  # of one report: far above any real one, far below what a column can hold
MAX_DOLLARS = 10**5
MAX_ID = 256
MAX_DETAIL = 200

Record = Mapping[str, object]


def decode(line: bytes) -> Record | None:
    """The object in this line, its fractions as exact decimals; `None` when it is anything else."""
    try:
        text = line.removeprefix(BOM_UTF8).decode("utf-8", "surrogatepass").strip(_SPACE)
        value, end = _DECODER.raw_decode(text)
        if end != len(text):
            return None
    except (ValueError, ArithmeticError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_DECODER = json.JSONDecoder(parse_float=Decimal)  # `json.loads` would make one for each line
_SPACE = " \t\r\n"


def record(value: object) -> Record:
    """The object, or an empty one when it is none."""
    return value if isinstance(value, dict) else {}


def records(value: object) -> list[Record]:
    """The objects in a list; whatever else stands in it, or in its place, is passed over."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: object) -> str | None:
    """A text that can be stored: halves of surrogate pairs, which no encoding has a place for, become '?'."""
    if not isinstance(value, str):
        return None
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def identifier(value: object) -> str | None:
    """An id or a name: printable, at most 256 characters, and nothing that a program could take for an option."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID:
        return None
    return value if value.isprintable() and not value.startswith("-") else None


def whole(value: object) -> int | None:
    """A count of tokens."""
    if type(value) is int:  # nearly always, and exact arithmetic takes its time
        return value if 0 <= value <= MAX_TOKENS else None
    amount = _amount(value, MAX_TOKENS)
    return int(amount) if amount is not None and amount == amount.to_integral_value() else None


def nano_dollars(value: object) -> int | None:
    """An amount given in dollars, as integer nano-dollars."""
    amount = _amount(value, MAX_DOLLARS)
    return None if amount is None else int((amount * NANO).to_integral_value())


def _amount(value: object, most: int) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return Decimal(value) if 0 <= value <= most else None


def one_line(value: str) -> str:
    """The first line that says something, shortened to fit one row of a screen."""
    first = next((line.strip() for line in value.splitlines() if line.strip()), "")
    return first if len(first) <= MAX_DETAIL else first[: MAX_DETAIL - 1] + "…"
