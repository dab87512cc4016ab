"""Whether a process outlives the login it was started from, as far as this system tells (R18)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_SYSTEMD = Path("/run/systemd/system")
_LINGER = Path("/var/lib/systemd/linger")
_ASK_S = 2.0


class Survival(NamedTuple):
    """`survives` is `None` when it is not known; `why` is a sentence either way."""

    survives: bool | None
    why: str


def survival(pid: int) -> Survival:
    """What becomes of this process when the login ends."""
    if not _SYSTEMD.is_dir():
        return Survival(True, "no systemd here ends processes with a login")
    try:
        cgroup = Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return Survival(None, "its control group cannot be read")
    return judge(cgroup, ends_user_processes=_ends_user_processes, lingers=_lingers)


def judge(cgroup: str, *, ends_user_processes: Callable[[], bool | None], lingers: Callable[[], bool]) -> Survival:
    """The same from the text of a `/proc/…/cgroup` and what logind answers, asked only where it matters."""
    if re.search(r"/user@\d+\.service(/|$)", cgroup, re.MULTILINE):
        if lingers():
            return Survival(True, "this user lingers (loginctl enable-linger)")
        return Survival(False, "systemd ends it at the user's last logout, unless `loginctl enable-linger` is set")
    if re.search(r"/session-[^/]+\.scope(/|$)", cgroup, re.MULTILINE):
        ends = ends_user_processes()
        if ends is None:
            return Survival(None, "it lies in the login's scope, and logind does not say whether it ends those")
        if ends:
            return Survival(
                False,
                "logind ends what a login leaves behind (KillUserProcesses=yes); "
                "start it with `systemd-run --user --scope midwatch watch`",
            )
        return Survival(True, "logind leaves alone what a login leaves behind (KillUserProcesses=no)")
    return Survival(True, "it lies in no login's control group")


def _ends_user_processes() -> bool | None:
    manager = "org.freedesktop.login1"
    command = ["busctl", "get-property", manager, "/org/freedesktop/login1", f"{manager}.Manager", "KillUserProcesses"]
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_S, stdin=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {"b true": True, "b false": False}.get(said.stdout.strip())


def _lingers() -> bool:
    import getpass

    try:
        return (_LINGER / getpass.getuser()).exists()
    except (OSError, KeyError):
        return False
