"""Which projects the person trusts: their workflows may be launched, all others are only listed.

A project is trusted by its resolved path, so a link that points elsewhere tomorrow trusts nothing new. Trust in a
project holds for what its workflows will say later, and not for a project that lies inside it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from harness.errors import HarnessError, NotTrusted
from harness.nearest import harmless
from store.paths import Places, open_private, private_folder, project_of


def trust(places: Places, path: Path) -> Path:
    """Trusts the project that `path` lies in, and gives its resolved folder. Raises `HarnessError` if there is none."""
    project = _project(path)
    if project is None:
        raise HarnessError(
            f"{harmless(path)} lies in no project; a project is a folder with `.midwatch` or `.git` in it"
        )
    content = _content(places)
    if str(project) not in _listed(content):
        private_folder(places.state)
        begin = "" if content.endswith(b"\n") or not content else "\n"  # after a line that was not written to its end
        line = f"{begin}{json.dumps(str(project))}\n"
        descriptor = open_private(places.trusted, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    return project


def is_trusted(places: Places, path: Path) -> bool:
    """Whether the project that `path` lies in is one the person trusted."""
    project = _project(path)
    return project is not None and str(project) in _listed(_content(places))


def require_trust(places: Places, workflow: Path) -> None:
    """Raises `NotTrusted` unless the file is one of the person's own workflows or lies in a trusted project.

    Where the file really lies decides: a link in a trusted project to a file elsewhere is not trusted with it. A link
    in the person's own folder is theirs, wherever it points.
    """
    resolved = workflow.resolve()
    if not _is_own(places, resolved) and not is_trusted(places, resolved):
        raise NotTrusted(_project(resolved) or resolved.parent)


def _is_own(places: Places, resolved: Path) -> bool:
    try:
        return any(own.resolve() == resolved for own in places.workflows.glob("*.toml"))
    except OSError:
        return False


def _project(path: Path) -> Path | None:
    return project_of(path.resolve())


def _content(places: Places) -> bytes:
    try:
        descriptor = open_private(places.trusted, os.O_RDONLY)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read()


def _listed(content: bytes) -> set[str]:
    found = set()
    for line in content.splitlines():
        try:
            found.add(str(json.loads(line)))
        except ValueError:  # a damaged line trusts nothing
            continue
    return found
