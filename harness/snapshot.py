"""A workflow as it was launched, kept beside the run's journals: a resume goes on with it, whatever the file says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.workflow import Workflow
from store.paths import Places, open_private, private_folder


def keep(places: Places, run: str, workflow: Workflow) -> None:
    """Writes the snapshot durably, before the run is a fact."""
    import msgspec

    path = _path(places, run)
    private_folder(path.parent)
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(msgspec.json.encode(workflow, enc_hook=str))
        opened.flush()
        os.fsync(opened.fileno())


def recall(places: Places, run: str) -> Workflow:
    """The workflow that `run` was launched with. Raises `HarnessError` when it is not kept any more."""
    import msgspec

    try:
        content = _path(places, run).read_bytes()
        return msgspec.json.decode(content, type=Workflow, dec_hook=_decoded)
    except (OSError, msgspec.MsgspecError) as problem:
        raise HarnessError(
            f"what run {run} was launched with is not kept any more, so it cannot be taken up; launch the workflow anew"
        ) from problem


def _decoded(kind: type, value: Any) -> Any:
    return kind(value)


def _path(places: Places, run: str) -> Path:
    return places.journals_of(run) / "workflow.json"
