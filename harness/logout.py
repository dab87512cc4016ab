"""Whether a process outlives the login it was started from, as far as this system tells (R18)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import NamedTuple

_SYSTEMD = Path("/run/systemd/system")
_PROC = Path("/proc")
_LINGER = Path("/var/lib/systemd/linger")
_ASK_S = 2.0
_SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect")
_SPARED = ("-p", "OOMPolicy=continue")  # one agent out of memory must not end the watch; a scope has it since v253
ENABLE = "`loginctl enable-linger` lets it live on"


class Survival(NamedTuple):
    """`survives` is `None` when it is not known; `why` is a sentence either way."""

    survives: bool | None
    why: str


def survival(pid: int) -> Survival:
    """What becomes of this process when the login ends."""
    if not _SYSTEMD.is_dir():
        return Survival(True, "no systemd here ends processes with a login")
    cgroup = cgroup_of(pid)
    if cgroup is None:
        return Survival(None, "its control group cannot be read")
    return judge(cgroup, ends_user_processes=_ends_user_processes, lingers=lingers)


def line_at_start(pid: int) -> str | None:
    """What a person is told once the watch was started; `None` where no system ends processes with a login."""
    if not _SYSTEMD.is_dir():
        return None
    survives, why = survival(pid)
    outlives = {True: "outlives this login", False: "does not outlive this login", None: "may not outlive this login"}
    return f"the watch {outlives[survives]}: {why}"


def ways_to_start() -> list[tuple[str, ...]]:
    """What to put before the command that starts the watch, best first; the last is nothing.

    Where the user lingers, a scope of the user's own manager outlives every login (R18). Elsewhere nothing that we may
    do does better than a session of its own: a scope without lingering is ended at the last logout.
    """
    if _SYSTEMD.is_dir() and which(_SCOPE[0]) is not None and lingers():
        return [(*_SCOPE, *_SPARED, "--"), (*_SCOPE, "--"), ()]
    return [()]


def cgroup_of(pid: int) -> str | None:
    """The text of its `/proc/…/cgroup`; `None` where it cannot be read."""
    try:
        return (_PROC / str(pid) / "cgroup").read_text()
    except OSError:
        return None


def judge(cgroup: str, *, ends_user_processes: Callable[[], bool | None], lingers: Callable[[], bool]) -> Survival:
    """The same from the text of a `/proc/…/cgroup` and what logind answers, asked only where it matters."""
    if re.search(r"/user@\d+\.service(/|$)", cgroup, re.MULTILINE):
        if lingers():
            return Survival(True, "this user lingers (loginctl enable-linger)")
        return Survival(False, f"systemd ends it at the user's last logout; {ENABLE}")
    if re.search(r"/session-[^/]+\.scope(/|$)", cgroup, re.MULTILINE):
        ends = ends_user_processes()
        if ends is None:
            return Survival(None, "it lies in the login's scope, and logind does not say whether it ends those")
        if ends:
            return Survival(
                False,
                f"logind ends what a login leaves behind (KillUserProcesses=yes); {ENABLE}, started anew",
            )
        return Survival(True, "logind leaves alone what a login leaves behind (KillUserProcesses=no)")
    return Survival(True, "it lies in no login's control group")


def _ends_user_processes() -> bool | None:
    manager = "org.freedesktop.login1"
    command = ["busctl", "get-property", manager, "/org/freedesktop/login1", f"{manager}.Manager", "KillUserProcesses"]
    return {"b true": True, "b false": False}.get(asked(command) or "")


def lingers() -> bool:
    """Whether the user's own processes may live on without a login, as logind says, or else its file."""
    import getpass

    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        return False
    said = asked(["loginctl", "show-user", user, "--property=Linger", "--value"])
    return said == "yes" if said in ("yes", "no") else (_LINGER / user).exists()


def asked(command: list[str]) -> str | None:
    """What a program of systemd's says; `None` when it cannot be asked."""
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_S, stdin=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return said.stdout.strip()
