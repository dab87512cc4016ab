"""What one attempt has cost, worked out from its reports so that nothing counts twice (U4, U6).

There is one row for each model, and a row that is given out takes the place of the one before it. In a row

- a report under a request's id takes the place of an earlier one under the same id, counter by counter;
- a report without an id adds;
- a cumulative report counts as far as it is above where the session stood before this attempt. A reading below an
  earlier one (replayed, or restarted) adds nothing, and the row says 'at least';
- a report that settles takes the place of every request reported by id so far; after it those ids count nothing, nor
  does its own.

A counter that no report told is unknown; one that some told and others did not makes the row 'at least' (U2). The
same output read again from its start gives the same rows again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from harness.reports import Usage
from store.model import Counts
from store.usage import Entry, Totals, add, settle

MAX_REQUESTS = 1 << 16  # ids remembered; a request beyond them is not counted, and its row says 'at least'
MAX_MODELS = 64  # rows; further models share the row of no model
MAX_COUNT = 10**17  # of one counter of one row, so that a column can hold the sum of many rows

Meter = tuple[str | None, str | None]
"""What tells one cumulative counter from another: the id and the model of its reports."""

_COUNTERS = ("input", "output", "cache_read", "cache_write", "cost")
_NOTHING: Mapping[Meter, Counts] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """What a model has cost so far in this attempt, to be recorded in place of what was recorded for `request`."""

    request: str
    model: str | None
    counts: Counts
    at_least: bool


class Ledger:
    """The rows of one attempt.

    `session` is where the cumulative counters stood when the attempt took up its session, `None` when that is not
    known; `session_totals` of the attempt before gives it.
    """

    def __init__(self, session: Mapping[Meter, Counts] | None = _NOTHING) -> None:
        self._session = session
        self._totals: dict[str | None, Totals] = {}
        self._rows: dict[str | None, Row] = {}
        self._requests: dict[str, Entry | None] = {}  # `None` once settled
        self._meters: dict[Meter, _Cumulative] = {}

    @property
    def session(self) -> Mapping[Meter, Counts] | None:
        """Where the cumulative counters stood when the attempt took up its session; `None` when that is not known."""
        return self._session

    def count(self, usage: Usage) -> Sequence[Row]:
        """The rows that this report changed; none when nothing in it was new."""
        self.take(usage)
        return self.changed()

    def take(self, usage: Usage) -> None:
        """Counts it; `changed` tells what it and others came to."""
        model = usage.model
        if model not in self._totals and len(self._totals) >= MAX_MODELS:
            model = None
        entry = Entry(counts=usage.counts, model=model, at_least=usage.at_least)
        if usage.cumulative:
            self._read(usage, entry)
        elif usage.settles:
            self._take_settled(usage.request, entry)
        elif usage.request is None:
            self._add(entry)
        else:
            self._replace(usage.request, entry)

    def changed(self) -> Sequence[Row]:
        """The rows that are not what they were when this was last asked."""
        changed: list[Row] = []
        for model, totals in self._totals.items():
            row = _row(model, totals)
            if self._rows.get(model) != row:
                self._rows[model] = row
                changed.append(row)
        return tuple(changed)

    @property
    def session_totals(self) -> Mapping[Meter, Counts] | None:
        """Where the cumulative counters of the session stand now, for the attempt that takes it up.

        `None` when requests are unsettled: whether the CLI's own totals will hold them is not known. Claude Code saves
        them when it is ended by TERM, and cannot when it is killed.
        """
        if any(entry is not None for entry in self._requests.values()):
            return None
        read = {key: meter.highest for key, meter in self._meters.items()}
        return None if self._session is None and not read else {**(self._session or _NOTHING), **read}

    def _add(self, entry: Entry, *, sign: int = 1) -> None:
        self._totals[entry.model] = add(self._totals.get(entry.model, Totals()), entry, sign=sign)

    def _replace(self, request: str, entry: Entry) -> None:
        if request in self._requests:
            old = self._requests[request]
            if old is None:
                return
            self._add(old, sign=-1)
            entry = settle(old, entry)
        elif len(self._requests) >= MAX_REQUESTS:
            self._add(Entry(counts=Counts(), model=entry.model))
            return
        self._requests[request] = entry
        self._add(entry)

    def _take_settled(self, request: str | None, entry: Entry) -> None:
        if request is not None:
            if request in self._requests:
                return
            self._requests[request] = None
        self._settle()
        self._add(entry)

    def _settle(self) -> None:
        for request, known in self._requests.items():
            if known is not None:
                self._add(known, sign=-1)
                self._requests[request] = None

    def _read(self, usage: Usage, entry: Entry) -> None:
        key = usage.request, usage.model
        meter = self._meters.get(key)
        if meter is None:
            if len(self._meters) >= MAX_REQUESTS:
                self._add(Entry(counts=Counts(), model=entry.model))
                return
            before = Counts() if self._session is None else self._session.get(key, _ZERO)
            meter = self._meters[key] = _Cumulative(before)
        else:
            self._add(meter.entry, sign=-1)
        meter.read(entry)
        if usage.settles and not meter.doubtful:
            self._settle()
        self._add(meter.entry)


class _Cumulative:
    """One cumulative counter: where it stood before this attempt, and the highest that was read."""

    def __init__(self, before: Counts) -> None:
        self._before = before
        self.highest = before
        self.doubtful = False  # a reading fell, or nobody knows where it began
        self.entry = Entry(counts=Counts())

    def read(self, entry: Entry) -> None:
        """Takes a reading; `entry` becomes what the counter says of this attempt."""
        before, highest, counted = {}, {}, {}
        for name in _COUNTERS:
            now, was, base = (getattr(one, name) for one in (entry.counts, self.highest, self._before))
            if now is not None and base is None:
                base = was = now
                self.doubtful = True
            if now is not None and now < was:
                self.doubtful = True
            before[name], highest[name] = base, was if now is None else max(now, was)
            told = now is not None or getattr(self.entry.counts, name) is not None
            counted[name] = highest[name] - base if told else None
        self._before, self.highest = Counts(**before), Counts(**highest)
        self.entry = Entry(counts=Counts(**counted), model=entry.model, at_least=entry.at_least or self.doubtful)


_ZERO = Counts(**dict.fromkeys(_COUNTERS, 0))


def _row(model: str | None, totals: Totals) -> Row:
    counts: dict[str, int | None] = {}
    at_least = False
    for name in _COUNTERS:
        value, missing = getattr(totals, name), getattr(totals, f"missing_{name}")
        if value is None and not missing:
            value = 0  # everything that stood here has been settled elsewhere
        if value is not None:
            at_least = at_least or missing > 0 or value > MAX_COUNT
            value = min(value, MAX_COUNT)
        counts[name] = value
    request = "usage" if model is None else f"usage of {model}"
    return Row(request=request, model=model, counts=Counts(**counts), at_least=at_least)
