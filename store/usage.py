"""The arithmetic of tokens and money: unknown is not zero, and a sum with an unknown in it says so (U2, U4, U6)."""

from __future__ import annotations

from dataclasses import dataclass

from store.model import Counts

NANO = 1_000_000_000  # nano-dollars in a dollar: cache prices are below a micro-dollar a token


@dataclass(frozen=True, kw_only=True, slots=True)
class Totals:
    """A sum of counts. `None` while nothing is known; each `missing_…` counts the parts that did not say.

    `cost` and `estimated` are nano-dollars, added apart (U3); `missing_cost` counts parts with neither.
    """

    turns: int = 0
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cost: int | None = None
    estimated: int | None = None
    missing_input: int = 0
    missing_output: int = 0
    missing_cache_read: int = 0
    missing_cache_write: int = 0
    missing_cost: int = 0

    @property
    def spent(self) -> int | None:
        """All the money that is known, reported and estimated, in nano-dollars; `None` when nothing is."""
        return _sum(self.cost, self.estimated)

    @property
    def tokens(self) -> int | None:
        """All tokens that are known; `None` when none are."""
        return _sum(_sum(self.input, self.output), _sum(self.cache_read, self.cache_write))

    @property
    def missing_tokens(self) -> int:
        """How many token counters of how many reports were not supplied; 0 means that `tokens` is all of them."""
        return self.missing_input + self.missing_output + self.missing_cache_read + self.missing_cache_write


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One line of the ledger: what one request of one attempt is recorded to have cost."""

    counts: Counts
    model: str | None = None
    at_least: bool = False


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None:
        return other
    return one if other is None else one + other


def _missing(known: bool, entry: Entry) -> int:
    return int(entry.at_least or not known)


def settle(old: Entry | None, new: Entry) -> Entry:
    """The entry after `new` replaced `old`: what the later one does not know keeps its earlier value (U6).

    It holds one kind of money at most: what a CLI reported makes an estimate of the same request void (U3).
    """
    if old is None:
        old = Entry(counts=Counts())
    was, now = old.counts, new.counts
    cost = was.cost if now.cost is None else now.cost
    estimated = was.estimated if now.estimated is None else now.estimated
    return Entry(
        model=new.model or old.model,
        at_least=new.at_least,
        counts=Counts(
            input=was.input if now.input is None else now.input,
            output=was.output if now.output is None else now.output,
            cache_read=was.cache_read if now.cache_read is None else now.cache_read,
            cache_write=was.cache_write if now.cache_write is None else now.cache_write,
            cost=cost,
            estimated=estimated if cost is None else None,
        ),
    )


def add(totals: Totals, entry: Entry, *, turns: int = 0, sign: int = 1) -> Totals:
    """The totals with one entry more, or with `sign=-1` one less."""
    counts = entry.counts

    def plus(sum_so_far: int | None, part: int | None) -> int | None:
        return sum_so_far if part is None else (sum_so_far or 0) + sign * part

    known_cost = counts.cost is not None or counts.estimated is not None
    return Totals(
        turns=totals.turns + turns,
        input=plus(totals.input, counts.input),
        output=plus(totals.output, counts.output),
        cache_read=plus(totals.cache_read, counts.cache_read),
        cache_write=plus(totals.cache_write, counts.cache_write),
        cost=plus(totals.cost, counts.cost),
        estimated=plus(totals.estimated, counts.estimated),
        missing_input=totals.missing_input + sign * _missing(counts.input is not None, entry),
        missing_output=totals.missing_output + sign * _missing(counts.output is not None, entry),
        missing_cache_read=totals.missing_cache_read + sign * _missing(counts.cache_read is not None, entry),
        missing_cache_write=totals.missing_cache_write + sign * _missing(counts.cache_write is not None, entry),
        missing_cost=totals.missing_cost + sign * _missing(known_cost, entry),
    )


def replace(totals: Totals, old: Entry | None, new: Entry) -> Totals:
    """The totals after `new` took the place of `old`."""
    return add(totals if old is None else add(totals, old, sign=-1), new)
