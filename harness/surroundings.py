"""What the launching terminal gives its agents: environment, folder, umask and limits (R20).

They go to the watch in a file that only this user can read and that is gone once it is read; values of the environment
reach neither the record nor an argument list.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import SurroundingsError
from store.paths import open_private

LATEST = 600.0  # seconds after which a file that nobody took is deleted; its request expired long before
_LARGEST = 16 << 20
_REQUEST_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """One terminal, as it was at the launch."""

    env: Mapping[str, str] = field(repr=False)  # a log that shows this object must not show secrets
    cwd: str
    umask: int
    limits: Mapping[str, tuple[int | None, int | None]]
    """Soft and hard limit by the name of `resource`, such as `RLIMIT_NOFILE`; `None` is no limit."""


def capture(folder: Path | None = None) -> Surroundings:
    """The surroundings of this process, in `folder` if one is given. Raises `SurroundingsError` when there is none."""
    if folder is not None:
        if not folder.is_dir():
            raise SurroundingsError(f"the folder {folder} does not exist any more; choose one that does")
        env = {**_environment(), "PWD": str(folder)}
        return Surroundings(env=env, cwd=str(folder), umask=_umask(), limits=_limits())
    try:
        cwd = os.getcwd()  # noqa: PTH109
    except OSError as problem:
        raise SurroundingsError(
            "the folder this terminal is in does not exist any more; go to one that does"
        ) from problem
    return Surroundings(env=_environment(), cwd=cwd, umask=_umask(), limits=_limits())


def _environment() -> dict[str, str]:
    """The terminal's environment, without the `LC_CTYPE` that Python itself puts there in a C locale (PEP 538)."""
    env = dict(os.environ)
    try:
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return env
    if env.get("LC_CTYPE", "").startswith("C.") and not any(one.startswith(b"LC_CTYPE=") for one in given):
        del env["LC_CTYPE"]
    return env


def hand_over(surroundings: Surroundings, folder: Path, request_id: str) -> Path:
    """Leaves them in `folder` for whoever takes the request; the file's path. Never writes over a file or a link."""
    path = _path(folder, request_id)
    coded = json.dumps(
        {
            "env": dict(surroundings.env),
            "cwd": surroundings.cwd,
            "umask": surroundings.umask,
            "limits": dict(surroundings.limits),
        }
    ).encode()
    try:
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(coded)
        except OSError:
            path.unlink()
            raise
    except OSError as problem:
        raise SurroundingsError(
            f"the terminal's environment could not be handed to the watch: {path}: {problem.strerror}"
        ) from problem
    return path


def take(folder: Path, request_id: str) -> Surroundings:
    """The surroundings that were left for this request; their file is gone afterwards, whatever was in it.

    Raises `SurroundingsError` when there is none, or it is not the file that `hand_over` writes.
    """
    path = _path(folder, request_id)
    try:
        descriptor = open_private(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as problem:
        raise SurroundingsError(
            "the environment of the launching terminal is not there any more; launch again"
        ) from problem
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
        content = opened.read(_LARGEST) if ours else b""
    with suppress(FileNotFoundError):
        path.unlink()
    try:
        coded = json.loads(content)
        limits = {str(name): (soft, hard) for name, (soft, hard) in coded["limits"].items()}
        return Surroundings(env=dict(coded["env"]), cwd=str(coded["cwd"]), umask=int(coded["umask"]), limits=limits)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise SurroundingsError(
            "the environment of the launching terminal was not left as midwatch leaves it; launch again"
        ) from problem


def sweep(folder: Path, *, now: float | None = None) -> int:
    """How many files were deleted that nobody took within ten minutes (`now` is seconds of the wall clock)."""
    before = (time.time() if now is None else now) - LATEST
    deleted = 0
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return 0
    for entry in entries:
        with suppress(FileNotFoundError):
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < before:
                Path(entry.path).unlink()
                deleted += 1
    return deleted


def for_agent(surroundings: Surroundings, *, mark: str, run: str, agent: str, tmux_dir: Path) -> dict[str, str]:
    """The environment of one attempt: the terminal's own, and the marks by which midwatch knows its agents.

    Without the terminal's tmux, and with a folder of its own for tmux's sockets: a server that the agent starts must
    not hand its mark on to what the person starts in theirs.
    """
    env = dict(surroundings.env)
    env.pop("TMUX", None)
    env.pop("TMUX_PANE", None)
    env["TMUX_TMPDIR"] = str(tmux_dir)
    env["MIDWATCH_RUN"] = run
    env["MIDWATCH_AGENT"] = agent
    env["MIDWATCH_ATTEMPT"] = mark
    return env


def _path(folder: Path, request_id: str) -> Path:
    if not _REQUEST_ID.fullmatch(request_id):
        raise SurroundingsError(f"{request_id!r} is not the id of a request")
    return folder / request_id


def _umask() -> int:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as opened:  # noqa: PTH123
            for line in opened:
                if line.startswith("Umask:"):
                    return int(line.split()[1], 8)
    except (OSError, ValueError):
        pass
    current = os.umask(0o077)  # where the system does not tell; for a moment, and to the strict side
    os.umask(current)
    return current


def _limits() -> dict[str, tuple[int | None, int | None]]:
    import resource

    def figure(value: int) -> int | None:
        return None if value == resource.RLIM_INFINITY else value

    found = {}
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            with suppress(ValueError, OSError):
                soft, hard = resource.getrlimit(getattr(resource, name))
                found[name] = (figure(soft), figure(hard))
    return found
