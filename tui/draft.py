"""What a person has typed into the launch screen, kept on disk until it is launched (E10).

One small private file a workflow, replaced as a whole, so that neither a crash of the screen nor a lost line costs it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.paths import open_private, private_folder

if TYPE_CHECKING:
    from store.paths import Places

LARGEST = 1 << 20


class Draft:
    """The inputs of one workflow, by its resolved path."""

    def __init__(self, places: Places, workflow: str) -> None:
        self._workflow = workflow
        self._file = places.state / "drafts" / f"{hashlib.sha256(os.fsencode(workflow)).hexdigest()[:32]}.json"

    def load(self) -> dict[str, str]:
        """What was kept; nothing when there is none, or it cannot be read."""
        try:
            with os.fdopen(open_private(self._file, os.O_RDONLY), "r", encoding="utf-8") as file:
                kept = json.loads(file.read(LARGEST))
        except (OSError, ValueError):
            return {}
        inputs = kept.get("inputs") if isinstance(kept, dict) and kept.get("workflow") == self._workflow else None
        return {str(name): str(value) for name, value in inputs.items()} if isinstance(inputs, dict) else {}

    def save(self, inputs: Mapping[str, str]) -> str:
        """Keeps these; answers with why it could not, or ''."""
        content = json.dumps({"workflow": self._workflow, "inputs": dict(inputs)}, ensure_ascii=False)
        beside = self._file.with_suffix(".new")
        try:
            private_folder(self._file.parent)
            with os.fdopen(open_private(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as file:
                file.write(content)
            beside.replace(self._file)
        except (OSError, StoreError) as problem:
            return f"what you typed is not kept: {problem}"
        return ""

    def clear(self) -> None:
        """Forgets it: it was launched, or emptied."""
        with suppress(OSError):
            Path(self._file).unlink()
