"""Dead letters, the newest first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from store.letters import Kind, Letter
from tui.lines import Cell, Line, row
from tui.text import cells, one_line
from tui.widgets.rows import Rows
from tui.wording import ago, short

_TYPE = 24
_ROOMY = 100


def kind_of(letter: Letter) -> str:
    """What made it one."""
    return f"not taken by the {one_line(letter.consumer or '')}" if letter.kind is Kind.UNDELIVERED else "refused"


class LetterRows(Rows[Letter]):
    """One line a letter; why it is one takes what is left of it."""

    _types = _kinds = 0

    def key_of(self, item: Letter) -> Hashable:
        """Its id."""
        return item.id

    def text_of(self, item: Letter) -> str:
        """Everything that it says."""
        return f"{item.type} {kind_of(item)} {item.run} {item.agent} {one_line(item.why)}"

    def measure(self, items: Sequence[Letter]) -> None:
        """Columns as wide as what is in view."""
        self._types = min(_TYPE, max(cells(one_line(one.type)) for one in items))
        self._kinds = max(cells(kind_of(one)) for one in items)

    def line_of(self, item: Letter, width: int) -> Line:
        """`3m ago  run.finished  not taken by the webhook  7f3a  answered 500`."""
        fixed = [
            Cell(ago(item.at, self.midwatch.now()), 8, "dim", right=True),
            Cell(one_line(item.type), self._types, "bold"),
            Cell(kind_of(item), self._kinds, "yellow"),
            Cell("" if item.run is None else short(one_line(item.run)), 8 if width >= _ROOMY else 0, "dim"),
        ]
        taken = sum(cell.width + 1 for cell in fixed if cell.width)
        return row([*fixed, Cell(one_line(item.why), max(0, width - taken))], width)

    def emptiness(self) -> list[str]:
        """Good news."""
        return ["no dead letters: everything was taken, and nothing was refused"]
