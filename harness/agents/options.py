"""Whether a person's own arguments for a CLI already say something, so that ours keep silent."""

from __future__ import annotations

from collections.abc import Sequence


def says(args: Sequence[str], *options: str) -> bool:
    """Whether one of these options is among the arguments, alone or with `=` and a value."""
    return any(one == option or one.startswith(f"{option}=") for one in args for option in options)
