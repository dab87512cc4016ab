"""The standard error of an attempt that said nothing of its own.

Some CLIs say only there why they could not begin. It is looked at only where standard output shows that no model was
ever asked, so nothing in it can be the words of one (K4).
"""

from __future__ import annotations

import re
from pathlib import Path

_MOST = 1 << 16
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def last_lines(path: Path | None) -> list[str]:
    """The lines at its end, without colours and empty ones; none when there is no such file."""
    if path is None:
        return []
    try:
        with path.open("rb") as errors:
            errors.seek(0, 2)
            errors.seek(max(0, errors.tell() - _MOST))
            content = errors.read()
    except OSError:
        return []
    plain = _ESCAPES.sub("", content.decode(errors="replace"))
    return [line.strip() for line in plain.splitlines() if line.strip()]
