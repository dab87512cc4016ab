"""The reader of an output that is itself the answer."""

from __future__ import annotations

from collections.abc import Sequence

from harness.reports import Report


class PlainOutput:
    """Nothing is parsed."""

    def read(self, line: bytes) -> Sequence[Report]:
        """No report, whatever the line."""
        return ()

    def end(self) -> Sequence[Report]:
        """No report: the exit status is the result."""
        return ()
