"""What `doctor` looks at: each look gives facts and, where something is wrong, a sentence among the problems."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.size import format_size
from store.database import SCHEMA_VERSION, schema_version
from store.paths import Places
from store.views import meta
from tui.commands.reading import reading
from tui.commands.terminal import utf8_locale

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal

_WAL_FIXED_IN = (3, 51, 3)
_LITTLE_SPACE = 1 << 30
_DRAIN_MINUTES = 30.0  # what `drain` gives unless told otherwise
Facts = TypeVar("Facts")


class Checkup:
    """What was found wrong so far."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.record_is_healthy = True

    def attempt(self, look: Callable[[], Facts]) -> Facts | None:
        """What the look gives; where it fails, `None`, and its sentence is a problem."""
        from tui.failures import explain_all

        try:
            return look()
        except Exception as error:
            self.problems.extend(explain_all(error)[0])
            return None


def cli_facts(places: Places, checkup: Checkup) -> list[dict[str, Any]]:
    """Every known CLI: where it is, its version, what it signs in with (never the secret)."""
    from harness.cli_versions import find_clis
    from harness.settings import Settings, load_settings

    settings = checkup.attempt(lambda: load_settings(places.settings)) or Settings()
    found = checkup.attempt(lambda: find_clis(settings)) or []
    if all(cli.path is None for cli in found):
        checkup.problems.append("no agent CLI that midwatch knows is on PATH; workflows can still run any command")
    return [
        {
            "name": cli.name,
            "program": cli.program,
            "path": None if cli.path is None else str(cli.path),
            "version": cli.version,
            "tested": cli.tested,
            "limits": list(cli.limits),
            "credential": None
            if cli.credential is None
            else {
                "provider": cli.credential.provider,
                "method": cli.credential.method,
                "place": cli.credential.place,
                "fingerprint": cli.credential.fingerprint,
            },
        }
        for cli in found
    ]


def record_facts(places: Places, checkup: Checkup) -> dict[str, Any]:
    """The record: its place and size, and whether SQLite finds it sound."""
    facts: dict[str, Any] = {
        "path": str(places.record),
        "exists": places.record.exists(),
        "size": None,
        "schema": None,
        "id": None,
        "sound": None,
        "journals": str(places.journals),
    }
    if facts["exists"]:
        size = sum(path.stat().st_size for path in places.state.glob("record.db*") if path.is_file())
        facts["size"] = size
        before = len(checkup.problems)
        facts |= checkup.attempt(lambda: _look_inside(places)) or {}
        checkup.record_is_healthy = facts["sound"] == "yes" and len(checkup.problems) == before
        if facts["sound"] not in ("yes", None):
            checkup.problems.append(f"the record {places.record} is damaged: {facts['sound']}")
    return facts


def _look_inside(places: Places) -> dict[str, Any]:
    with reading(places) as connection:
        if connection is None:
            return {}
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        return {
            "schema": f"{schema_version(connection)} of {SCHEMA_VERSION}",
            "id": meta(connection, "record"),
            "of_this_machine": meta(connection, "machine") == places.machine,
            "sound": "yes" if found == "ok" else found,
        }


def system_facts(places: Places, checkup: Checkup) -> dict[str, Any]:
    """Versions, free space, and what the kernel offers for supervising a tree."""
    from importlib.metadata import PackageNotFoundError, version

    def installed(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    if sqlite3.sqlite_version_info < _WAL_FIXED_IN:
        checkup.problems.append(
            f"SQLite {sqlite3.sqlite_version} is older than 3.51.3, which fixed a very rare corruption of WAL files"
        )
    if sys.platform != "linux":
        checkup.problems.append(
            f"on {platform.system()} there is no subreaper: a grandchild that leaves its agent's session may survive it"
        )
    from harness.grace import grace

    waits = grace(os.getpid())
    if waits.seconds is not None and (short := waits.falls_short(_DRAIN_MINUTES)) is not None:
        checkup.problems.append(short)
    free = checkup.attempt(lambda: shutil.disk_usage(_nearest_folder(places.state)).free)
    if free is not None and free < _LITTLE_SPACE:
        checkup.problems.append(f"only {format_size(free)} are free where the record lies")
    return {
        "midwatch": installed("midwatch"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "textual": installed("textual"),
        "system": f"{platform.system()} {platform.release()}",
        "machine": places.machine,
        "free_space": free,
        "settings": str(places.settings) + ("" if places.settings.exists() else " (not there; what is built in holds)"),
        "workflows": str(places.workflows),
    }


def _nearest_folder(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())


def terminal_facts(terminal: Terminal, checkup: Checkup) -> dict[str, Any]:
    """What the person's terminal says of itself."""
    if not utf8_locale():
        checkup.problems.append("the locale is not UTF-8, so signs are plain ASCII; set LANG, for example to C.UTF-8")
    size = os.get_terminal_size() if sys.stdout.isatty() else None
    return {
        "term": os.environ.get("TERM"),
        "truecolor": os.environ.get("COLORTERM") in ("truecolor", "24bit"),
        "no_color": bool(os.environ.get("NO_COLOR")),
        "utf8_locale": utf8_locale(),
        "size": None if size is None else f"{size.columns}x{size.lines}",
        "tmux": "TMUX" in os.environ,
        "ssh": "SSH_CONNECTION" in os.environ,
    }
