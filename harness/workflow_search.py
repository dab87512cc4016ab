"""Finding workflows: the person's own and the project's, by name or by path.

Where both have one of the same name the project's is meant, as git's settings of a repository go before the person's;
it is launched only if that project is trusted, so a stranger's project can hide a name but start nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.errors import WorkflowError, WorkflowNotFound
from harness.names import normal_name
from harness.nearest import harmless, quoted, suggestion
from harness.settings import Settings
from harness.workflow import Workflow, load_workflow
from store.paths import Places, project_of


class Origin(StrEnum):
    """Whose workflow it is."""

    PERSONAL = "personal"
    PROJECT = "project"


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A workflow file, valid or not. A broken one goes by its file's stem."""

    name: str
    path: Path
    """Resolved; the workflow's identity."""
    origin: Origin
    workflow: Workflow | None = None
    error: WorkflowError | None = None


def find_workflows(
    places: Places, cwd: Path, settings: Settings | None = None, *, prompts: bool = False
) -> list[Found]:
    """The project's workflows and then the person's, each by name; broken ones with what is wrong with them.

    Templates are looked into only with `prompts`: a list must not wait for that.
    """
    known = settings or Settings()
    return [
        _look(path, origin, known, prompts=prompts)
        for folder, origin in _folders(places, cwd)
        for path in _files(folder)
    ]


def resolve(places: Places, cwd: Path, name_or_path: str) -> Path:
    """The resolved path of the workflow that is meant. Raises `WorkflowNotFound`, with the nearest name.

    What has a `/` in it or ends in `.toml` is a path, from `cwd`; anything else is a name.
    """
    if is_path(name_or_path):
        path = cwd / name_or_path
        if not path.exists():
            raise WorkflowNotFound(f"there is no file {harmless(path)}{_beside(path)}")
        return path.resolve()
    found, wanted = find_workflows(places, cwd), normal_name(name_or_path)
    for origin in (Origin.PROJECT, Origin.PERSONAL):
        named = [one for one in found if one.origin is origin and one.name == wanted]
        if len(named) > 1:
            listed = " and ".join(harmless(one.path) for one in named)
            raise WorkflowNotFound(f"{len(named)} workflows are named {quoted(name_or_path)}: {listed}; give a path")
        if named:
            return named[0].path
    names = sorted({one.name for one in found})
    near = suggestion(wanted, names) if names else _where_to_put(places, cwd)
    raise WorkflowNotFound(f"there is no workflow {quoted(name_or_path)}; {near}")


def is_path(name_or_path: str) -> bool:
    """Whether a person who wrote this means a file rather than a name; then it is trusted for that launch."""
    return "/" in name_or_path or name_or_path.endswith(".toml")


def _folders(places: Places, cwd: Path) -> Iterator[tuple[Path, Origin]]:
    project = project_of(cwd)
    if project is not None:
        yield project / ".midwatch", Origin.PROJECT
    yield places.workflows, Origin.PERSONAL


def _files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(".toml"))
    except OSError:
        return []
    return [folder / name for name in names if not name.startswith(".")]


def _look(path: Path, origin: Origin, settings: Settings, *, prompts: bool) -> Found:
    resolved = path.resolve()
    try:
        workflow = load_workflow(path, settings, prompts=prompts)
    except WorkflowError as error:
        return Found(name=normal_name(path.stem), path=resolved, origin=origin, error=error)
    return Found(name=workflow.name, path=resolved, origin=origin, workflow=workflow)


def _beside(path: Path) -> str:
    near = [one.name for one in _files(path.parent)]
    return f"; {suggestion(path.name, near)}" if near else ""


def _where_to_put(places: Places, cwd: Path) -> str:
    project = project_of(cwd)
    own = f"put it in {places.workflows}"
    return own if project is None else f"{own}, or in {project / '.midwatch'} for this project"
