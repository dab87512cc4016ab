"""What the launch screen asks the harness: may this be launched, and launch it. Blocking, so called in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.workflow import Workflow
    from store.paths import Places


@dataclass(frozen=True, kw_only=True, slots=True)
class Launchable:
    """A workflow file as it is now. `problem` says why nothing can be launched from it."""

    path: Path
    workflow: Workflow | None = None
    problem: str = ""
    untrusted: Path | None = None
    """The project that has to be trusted first."""


def read_launchable(places: Places, path: Path) -> Launchable:
    """The workflow in that file, checked to the last template, and whether it may be launched."""
    from harness.errors import HarnessError, NotTrusted
    from harness.settings import load_settings
    from harness.trust import require_trust
    from harness.workflow import load_workflow

    try:
        workflow = load_workflow(path, load_settings(places.settings))
        require_trust(places, path)
    except NotTrusted as problem:
        return Launchable(path=path, workflow=workflow, untrusted=problem.project)
    except HarnessError as problem:
        return Launchable(path=path, problem=str(problem))
    return Launchable(path=path, workflow=workflow)


def go(places: Places, launchable: Launchable, values: Mapping[str, str]) -> tuple[str, str, str]:
    """(the run's id, '', '') after a launch, else ('', the input that is wrong or '', a sentence).

    A project that was not trusted is trusted first: the screen has asked.
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
        return requests.launch(places, str(launchable.path), inputs).run, "", ""
    except InputError as problem:
        return "", problem.name, str(problem)
    except (HarnessError, StoreError, Refused) as problem:
        return "", "", str(problem)
