"""The person's own folder as they write it: '~'."""

from __future__ import annotations

from pathlib import Path


def with_tilde(text: str) -> str:
    """`text` with every path into the person's home shortened to one that begins with '~'."""
    home = str(Path.home())
    if len(home) < 2:
        return text
    return "~" if text == home else text.replace(f"{home}/", "~/")
