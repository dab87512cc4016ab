"""Agent CLIs from npm at pinned versions, installed once into the person's cache folder."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
from pathlib import Path

import platformdirs
import pytest

INSTALL_SECONDS = 540
NODE = "22.23.5"

_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def installed(package: str, version: str, program: str, *, scripts_by: Path | None = None) -> Path:
    """The file that matches the glob `program` below `node_modules`, of exactly this version of this package.

    Where there is no npm the test is skipped, since then no CLI can be had; a failed install is a failed test.
    Install scripts are not run but by the Node that `scripts_by` names, for a package that insists on them: what they
    would link or fetch is not needed, and an old Node does not hinder a program that is native. (Without a version an
    old Node's npm takes an older one in silence.)
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not installed, so {package} cannot be had")
    cache = platformdirs.user_cache_path("midwatch-tests") / "npm"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"{package.replace('/', '+')}@{version}"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _install(npm, f"{package}@{version}", folder, scripts_by)
    found = sorted((folder / "node_modules").glob(program))
    if not found:
        pytest.fail(f"{package}@{version} has no {program} for this platform in {folder}")
    return found[0]


def newer_node() -> Path:
    """A Node that is new enough for every CLI here, from npm as well; the test is skipped where there is none."""
    system, machine = platform.system().lower(), platform.machine()
    kind = f"{system}-{_MACHINES.get(machine, machine)}"
    if kind not in ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"):
        pytest.skip(f"npm has no Node for {system} on {machine}")
    return installed(f"node-{kind}", NODE, f"node-{kind}/bin/node")


def _install(npm: str, what: str, folder: Path, scripts_by: Path | None) -> None:
    half = folder.with_name(f"{folder.name}.{os.getpid()}")
    half.mkdir()
    options = ["--no-audit", "--no-fund", "--engine-strict=false", "--include=optional"]
    options += ["--ignore-scripts"] if scripts_by is None else []
    path = os.environ["PATH"] if scripts_by is None else f"{scripts_by.parent}:{os.environ['PATH']}"
    try:
        done = subprocess.run(
            [npm, "install", *options, "--prefix", str(half), what],
            capture_output=True,
            text=True,
            timeout=INSTALL_SECONDS,
            env={**os.environ, "PATH": path},
        )
        if done.returncode != 0:
            pytest.fail(f"npm could not install {what}:\n{done.stderr[-2000:]}")
        half.rename(folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)
