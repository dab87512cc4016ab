"""Two properties of a process that only Linux has. Imported by the zygote, once, so that no fork pays for ctypes."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports enum, most of what a keeper would weigh

from harness.keeper.system import LINUX

if LINUX:
    import ctypes

    _prctl = ctypes.CDLL(None).prctl
    _PR_SET_PDEATHSIG = 1
    _PR_SET_CHILD_SUBREAPER = 36
    _ON, _KILL, _UNUSED = ctypes.c_ulong(1), ctypes.c_ulong(_signal.SIGKILL), ctypes.c_ulong(0)


def become_subreaper() -> None:
    """From now on orphans below this process become its children; elsewhere than on Linux they do not."""
    if LINUX:
        _prctl(_PR_SET_CHILD_SUBREAPER, _ON, _UNUSED, _UNUSED, _UNUSED)


def die_with_parent() -> None:
    """From now on this process is killed when its parent ends, until it runs a program of another owner."""
    if LINUX:
        _prctl(_PR_SET_PDEATHSIG, _KILL, _UNUSED, _UNUSED, _UNUSED)
