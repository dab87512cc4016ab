"""What the launch screen asks the harness: may this be launched, and launch it. Blocking, so called in a thread."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from store.paths import project_of

if TYPE_CHECKING:
    from harness.workflow import Workflow
    from store.paths import Places


@dataclass(frozen=True, kw_only=True, slots=True)
class Launchable:
    """A workflow file as it is now. `problems` say why nothing can be launched from it."""

    path: Path
    workflow: Workflow | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    """By agent, the sentence for a program that is not to be found from here."""
    problems: tuple[str, ...] = ()
    untrusted: Path | None = None
    """The project that has to be trusted first."""
    folders: tuple[Path, ...] = ()
    """Where its agents may work, the likeliest first: its own project, and the folder of this terminal."""


def read_launchable(places: Places, path: Path) -> Launchable:
    """The workflow in that file, checked to the last template, and whether it may be launched."""
    from harness.errors import FileError, HarnessError, NotTrusted
    from harness.programs import missing_programs
    from harness.settings import load_settings
    from harness.trust import require_trust
    from harness.workflow import load_workflow

    try:
        settings = load_settings(places.settings)
        workflow = load_workflow(path, settings)
        missing = {one.agent: one.sentence for one in missing_programs(workflow, settings, os.environ, _here())}
        folders = _folders(path)
        require_trust(places, path)
    except NotTrusted as problem:
        return Launchable(path=path, workflow=workflow, missing=missing, untrusted=problem.project, folders=folders)
    except FileError as problem:
        return Launchable(path=path, problems=tuple(str(one) for one in problem.all))
    except HarnessError as problem:
        return Launchable(path=path, problems=(str(problem),))
    return Launchable(path=path, workflow=workflow, missing=missing, folders=folders)


def _folders(path: Path) -> tuple[Path, ...]:
    here, own = _here(), path.parent.parent
    elsewhere = path.parent.name == ".midwatch" and project_of(here) != own and own != here
    return (own, here) if elsewhere else (here,)


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it does not exist any more; the launch says so
        return Path("/")


def go(
    places: Places, launchable: Launchable, values: Mapping[str, str], folder: Path | None = None
) -> tuple[str, str, str]:
    """(the run's id, '', '') after a launch, else ('', the input that is wrong or '', a sentence).

    Its agents work in `folder`, or in this terminal's. A project that was not trusted is trusted first: the screen has
    asked.
    """
    from harness import requests
    from harness.errors import HarnessError, InputError
    from harness.inputs import fill_inputs
    from harness.trust import trust
    from store.errors import StoreError
    from tui.commands.manners import only_for_a_person
    from tui.errors import Refused

    assert launchable.workflow is not None
    try:
        inputs = fill_inputs(launchable.workflow, values)
        if launchable.untrusted is not None:
            only_for_a_person("trust")
            trust(places, launchable.untrusted)
        return requests.launch(places, str(launchable.path), inputs, folder=folder).run, "", ""
    except InputError as problem:
        return "", problem.name, str(problem)
    except (HarnessError, StoreError, Refused) as problem:
        return "", "", str(problem)
