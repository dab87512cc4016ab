"""How long this system waits for the watch when it goes down: what a drain has at most (R15)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from harness.duration import format_duration
from harness.logout import asked, cgroup_of

_CONTAINER_S = 10.0  # what docker and podman wait unless told otherwise
_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_INIT = Path("/proc/1/comm")
_INITS = frozenset({"systemd", "init", "openrc-init", "runit", "s6-svscan", "launchd"})
_UNITS = {"d": 86_400.0, "h": 3_600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(d|h|min|s|ms|us)")


class Grace(NamedTuple):
    """`seconds` from being told to end to being killed; `None` is not known, infinity is no limit. `why` says whose."""

    seconds: float | None
    why: str

    def falls_short(self, minutes: float) -> str | None:
        """The sentence for a drain of so many minutes that the system would cut off; `None` when it would not."""
        if self.seconds is None:
            return f"how long this system waits when it goes down is not known: {self.why}"
        if self.seconds >= minutes * 60:
            return None
        return (
            f"going down, this system waits {format_duration(self.seconds)} ({self.why}), not {minutes:g} minutes:"
            " begin the drain so long before, or give more (TimeoutStopSec of a unit, --stop-timeout of a container)"
        )


def grace(pid: int) -> Grace:
    """What the system gives this process. Asks `systemctl`, which takes a moment."""
    cgroup = cgroup_of(pid)
    return judge(cgroup or "", in_container=_in_container, ask=asked)


def judge(cgroup: str, *, in_container: Callable[[], bool], ask: Callable[[list[str]], str | None]) -> Grace:
    """The same from the text of a `/proc/…/cgroup`, and who answers `systemctl show`."""
    known = []
    path = next((line.split(":", 2)[2] for line in cgroup.splitlines() if line.startswith(("0::", "1:name="))), "")
    of_user = False
    for part in path.split("/"):
        if not part.endswith((".service", ".scope")):
            continue
        command = ["systemctl", *(["--user"] if of_user else []), "show", "--property=TimeoutStopUSec", "--value", part]
        seconds = _seconds(ask(command) or "")
        if seconds is not None:
            known.append(Grace(seconds, f"the unit {part}"))
        of_user = of_user or part.startswith("user@")
    if in_container():
        known.append(Grace(_CONTAINER_S, "a container, unless it is stopped with another time"))
    if not known:
        return Grace(None, "neither a unit nor a container says how long it waits")
    return min(known)


def _seconds(span: str) -> float | None:
    """The seconds of `1min 30s` or `infinity`; `None` for anything else."""
    if span == "infinity":
        return math.inf
    words = [_SPAN.fullmatch(word) for word in span.split()]
    if not words or None in words:
        return None
    return sum(float(word[1]) * _UNITS[word[2]] for word in words if word is not None)


def _in_container() -> bool:
    if any(mark.exists() for mark in _MARKS):
        return True
    try:
        return _INIT.read_text().strip() not in _INITS
    except OSError:
        return False
