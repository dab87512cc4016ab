"""What a person typed to find runs: `outcome:blocked workflow:ship since:7d cost:2`, and words to look for."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.commands.options import moment, outcome, usd
from tui.run_filter import RunFilter
from tui.widgets.rows import matches

if TYPE_CHECKING:
    from store.model import Outcome
    from store.views import RunLine


@dataclass(frozen=True, kw_only=True, slots=True)
class RunWords:
    """The filter that the fields make, the words that are left, and what is wrong with a field, or ''."""

    filter: RunFilter
    words: str
    problem: str = ""

    def fits(self, line: RunLine) -> bool:
        """Whether the run is one of those that were asked for."""
        text = f"{line.name} {line.id} {line.outcome or line.state} {line.why or ''}"
        return self.filter.fits(line) and matches(text, self.words)


def parse(typed: str) -> RunWords:
    """Reads it. A field that makes no sense, half-typed ones among them, asks for nothing and says so."""
    name: str | None = None
    ended: Outcome | None = None
    since: int | None = None
    cost: int | None = None
    words: list[str] = []
    problem = ""
    for word in typed.split():
        field, colon, value = word.partition(":")
        try:
            match field.casefold() if colon else "":
                case "outcome":
                    ended = outcome(value)
                case "workflow":
                    name = value
                case "since":
                    since = moment(value)
                case "cost":
                    cost = usd(value)
                case _:
                    words.append(word)
        except ArgumentTypeError as wrong:
            problem = f"{field}: {wrong}"
    return RunWords(
        filter=RunFilter(name=name, outcome=ended, since=since, cost=cost), words=" ".join(words), problem=problem
    )
