"""What differs between systems, as small as it goes."""

from __future__ import annotations

import sys

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl(option: int, value: int) -> None:
    """Sets a property of this process; does nothing on a system that has no such thing."""
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)
