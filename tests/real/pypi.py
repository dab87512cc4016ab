"""Agent CLIs from PyPI at pinned versions, each in an environment of its own in the person's cache folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

INSTALL_SECONDS = 540


def installed(package: str, version: str, program: str) -> Path:
    """The program of this name from exactly this version of this package; a failed install is a failed test."""
    cache = platformdirs.user_cache_path("midwatch-tests") / "pypi"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{package}@{version}-{sys.version_info.major}.{sys.version_info.minor}"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            _install(f"{package}=={version}", folder)
    found = folder / "bin" / program
    if not found.exists():
        pytest.fail(f"{package}=={version} has no program '{program}' in {folder}")
    return found


def _install(what: str, folder: Path) -> None:
    """An environment cannot be moved, so it is made in its place and marked when it is whole."""
    shutil.rmtree(folder, ignore_errors=True)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for argv in ([sys.executable, "-m", "venv", str(folder)], [str(folder / "bin/pip"), "install", "-q", what]):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=INSTALL_SECONDS, env=env)
        if done.returncode != 0:
            pytest.fail(f"pip could not install {what}:\n{done.stderr[-2000:]}")
    (folder / "whole").touch()
