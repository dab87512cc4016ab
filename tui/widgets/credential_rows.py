"""Credentials that do not work, the longest known first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from store.credentials import Remembered, Standing
from tui.lines import Cell, Line, row
from tui.text import cells, one_line
from tui.widgets.rows import Rows
from tui.wording import ago, short

STANDING = {
    Standing.HELD: ("signing in, being tried again", "yellow"),
    Standing.DIED: ("signing in failed", "red"),
    Standing.LIMITED: ("limit reached", "yellow"),
}
_ROOMY = 100


def name_of(one: Remembered) -> str:
    """What a person calls it: the key without its fingerprint."""
    return one_line(one.key.rpartition(":")[0].replace(":", "  "))


class CredentialRows(Rows[Remembered]):
    """One line each; what its CLI said takes what is left."""

    _names = 0

    def key_of(self, item: Remembered) -> Hashable:
        """Its key."""
        return item.key

    def text_of(self, item: Remembered) -> str:
        """Everything that it says."""
        return f"{item.cli} {item.key} {STANDING[item.standing][0]} {one_line(item.message)}"

    def measure(self, items: Sequence[Remembered]) -> None:
        """Columns as wide as what is in view."""
        self._names = min(40, max(cells(name_of(one)) for one in items))

    def line_of(self, item: Remembered, width: int) -> Line:
        """`3m ago  claude  anthropic  api key  ANTHROPIC_API_KEY  signing in failed  401 …`."""
        words, tone = STANDING[item.standing]
        fixed = [
            Cell(ago(item.at, self.midwatch.now()), 8, "dim", right=True),
            Cell(item.cli, 9, "bold"),
            Cell(name_of(item), self._names if width >= _ROOMY else min(24, self._names), ""),
            Cell(words if width >= _ROOMY else words.partition(",")[0], 29 if width >= _ROOMY else 17, tone),
            Cell("" if item.run is None else short(one_line(item.run)), 8 if width >= _ROOMY else 0, "dim"),
        ]
        taken = sum(cell.width + 1 for cell in fixed if cell.width)
        return row([*fixed, Cell(one_line(item.message), max(0, width - taken))], width)

    def emptiness(self) -> list[str]:
        """Good news."""
        return ["nothing is remembered as failing: no sign-in was refused and no limit reached since the watch started"]
