"""Tokens and money: unknown is not zero, replacing is not adding, reported is not estimated (U2, U3, U4, U6)."""

from __future__ import annotations

import pytest
from arbitrary import COUNTS
from hypothesis import given
from hypothesis import strategies as st

from store.model import Counts
from store.usage import Entry, Totals, add, replace, settle

ENTRIES = st.builds(Entry, counts=COUNTS, model=st.none() | st.just("opus"), at_least=st.booleans()).map(
    lambda entry: settle(None, entry)
)
EVERYTHING = Counts(input=1, output=2, cache_read=3, cache_write=4, cost=5)


def summed(entries: list[Entry]) -> Totals:
    totals = Totals()
    for entry in entries:
        totals = add(totals, entry)
    return totals


def test_nothing_is_unknown_and_not_zero() -> None:
    totals = Totals()
    assert (totals.tokens, totals.spent, totals.missing_tokens) == (None, None, 0)


def test_what_is_known_adds_up() -> None:
    totals = summed([Entry(counts=EVERYTHING), Entry(counts=EVERYTHING)])
    assert (totals.input, totals.output, totals.cache_read, totals.cache_write, totals.cost) == (2, 4, 6, 8, 10)
    assert (totals.tokens, totals.spent, totals.missing_tokens, totals.missing_cost) == (20, 10, 0, 0)


@pytest.mark.parametrize("unknown", ["input", "output", "cache_read", "cache_write", "cost"])
def test_a_sum_with_an_unknown_in_it_says_so(unknown: str) -> None:
    known = {name: 1 for name in ("input", "output", "cache_read", "cache_write", "cost") if name != unknown}
    totals = summed([Entry(counts=EVERYTHING), Entry(counts=Counts(**known))])
    missing = {
        name: getattr(totals, f"missing_{name}") for name in ("input", "output", "cache_read", "cache_write", "cost")
    }
    assert missing == {name: int(name == unknown) for name in missing}
    assert getattr(totals, unknown) == getattr(EVERYTHING, unknown)


def test_a_report_that_is_known_to_be_incomplete_makes_every_sum_at_least() -> None:
    totals = add(Totals(), Entry(counts=EVERYTHING, at_least=True))
    assert (totals.tokens, totals.missing_tokens, totals.missing_cost) == (10, 4, 1)


def test_zero_is_known() -> None:
    totals = add(Totals(), Entry(counts=Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)))
    assert (totals.tokens, totals.spent, totals.missing_tokens, totals.missing_cost) == (0, 0, 0, 0)


def test_an_estimate_is_money_that_is_told_apart() -> None:
    totals = summed([Entry(counts=Counts(cost=5)), Entry(counts=Counts(estimated=7))])
    assert (totals.cost, totals.estimated, totals.spent, totals.missing_cost) == (5, 7, 12, 0)


def test_the_same_request_again_replaces() -> None:
    old = Entry(counts=Counts(input=10, output=1))
    new = Entry(counts=Counts(input=10, output=8), model="opus")
    totals = replace(add(Totals(), old), old, settle(old, new))
    assert (totals.input, totals.output) == (10, 8)
    assert (totals.missing_input, totals.missing_cache_read) == (0, 1)


def test_what_the_later_report_does_not_know_keeps_its_value() -> None:
    old = Entry(counts=EVERYTHING, model="opus", at_least=True)
    assert settle(old, Entry(counts=Counts(output=9))) == Entry(
        counts=Counts(input=1, output=9, cache_read=3, cache_write=4, cost=5), model="opus"
    )


@pytest.mark.parametrize(
    ("old", "new", "settled"),
    [
        (None, Counts(cost=5, estimated=7), Counts(cost=5)),
        (Counts(estimated=7), Counts(cost=5), Counts(cost=5)),
        (Counts(cost=5), Counts(estimated=7), Counts(cost=5)),
        (Counts(estimated=7), Counts(estimated=8), Counts(estimated=8)),
        (Counts(cost=5), Counts(cost=0), Counts(cost=0)),
        (Counts(estimated=7), Counts(), Counts(estimated=7)),
    ],
)
def test_a_request_has_one_kind_of_money(old: Counts | None, new: Counts, settled: Counts) -> None:
    before = None if old is None else Entry(counts=old)
    assert settle(before, Entry(counts=new)).counts == settled


def test_money_that_was_only_estimated_is_gone_when_the_bill_comes() -> None:
    old = Entry(counts=Counts(estimated=7))
    totals = replace(add(Totals(), old), old, settle(old, Entry(counts=Counts(cost=5))))
    assert (totals.cost, totals.estimated or 0, totals.spent) == (5, 0, 5)


@given(entries=st.lists(ENTRIES, max_size=6), data=st.data())
def test_the_order_of_reports_makes_no_difference(entries: list[Entry], data: st.DataObject) -> None:
    assert summed(data.draw(st.permutations(entries))) == summed(entries)


@given(rest=st.lists(ENTRIES, max_size=4), reports=st.lists(ENTRIES, min_size=1, max_size=4))
def test_replacing_is_the_same_as_having_known_it_at_once(rest: list[Entry], reports: list[Entry]) -> None:
    totals, settled = summed(rest), None
    for report in reports:
        latest = settle(settled, report)
        totals, settled = replace(totals, settled, latest), latest
    assert settled is not None
    at_once = summed([*rest, settled])
    assert totals == at_once or (totals.estimated, at_once.estimated) == (0, None)
    assert (totals.spent, totals.tokens, totals.missing_tokens, totals.missing_cost) == (
        at_once.spent,
        at_once.tokens,
        at_once.missing_tokens,
        at_once.missing_cost,
    )
