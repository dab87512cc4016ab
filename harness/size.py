"""Sizes as people write them: `512KiB`, `1MiB`, `2GB`."""

from __future__ import annotations

import re

LARGEST = 1 << 50
_BYTES = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "TB": 1000**4,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
}
_UNITS = {unit.lower(): factor for unit, factor in _BYTES.items()}
_SIZE = re.compile(r"([0-9]{1,16}(?:\.[0-9]{1,9})?) ?([a-z]{1,3})", re.IGNORECASE)


def parse_size(text: str) -> int:
    """The bytes that `text` means, at least 1 and at most 1 PiB; letter case and one blank before the unit are free.

    Raises `ValueError` with half a sentence that goes behind the name of what was given.
    """
    found = _SIZE.fullmatch(text.strip())
    factor = _UNITS.get(found[2].lower()) if found is not None else None
    if found is None or factor is None:
        raise ValueError('must be a size such as "512KiB", "1MiB" or "2GiB"')
    size = round(float(found[1]) * factor)
    if size < 1:
        raise ValueError("must be at least one byte")
    if size > LARGEST:
        raise ValueError("must be at most 1024TiB")
    return size


def format_size(size: int) -> str:
    """`size` bytes in the largest binary unit that leaves a whole part, with one digit behind the point."""
    unit = "B"
    figure = float(size)
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if figure < 1024:
            break
        figure, unit = figure / 1024, larger
    return f"{figure:.1f}".removesuffix(".0") + f" {unit}"
