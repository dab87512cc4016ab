"""The ledger of one attempt: whatever the order and repetition of its reports, nothing counts twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import ledger as ledger_module
from harness.ledger import MAX_COUNT, MAX_MODELS, Ledger, Row
from harness.reports import Usage
from store.model import Counts

COUNTERS = ("input", "output", "cache_read", "cache_write", "cost")

_amount = st.none() | st.integers(min_value=0, max_value=1000)
_counts = st.builds(Counts, **dict.fromkeys(COUNTERS, _amount))
_model = st.sampled_from([None, "small", "large"])
_request = st.sampled_from(["a", "b", "c", "d"])
_of_request = st.builds(Usage, counts=_counts, model=_model, request=_request)
_known = st.builds(Counts, **dict.fromkeys(COUNTERS, st.integers(min_value=0, max_value=1000)))


def rows(reports: Sequence[Usage], ledger: Ledger | None = None) -> dict[str | None, Row]:
    """The newest row of each model."""
    ledger = ledger or Ledger()
    found: dict[str | None, Row] = {}
    for report in reports:
        found |= {row.model: row for row in ledger.count(report)}
    return found


def total(found: dict[str | None, Row], counter: str) -> int:
    return sum(getattr(row.counts, counter) or 0 for row in found.values())


@given(st.lists(_of_request))
def test_a_request_counts_once_with_the_last_that_is_known_of_it(reports: list[Usage]) -> None:
    latest: dict[str | None, dict[str, int | None]] = {}
    for report in reports:
        known = latest.setdefault(report.request, dict.fromkeys(COUNTERS))
        known.update(
            {name: value for name in COUNTERS if (value := getattr(report.counts, name)) is not None},
        )
    found = rows(reports)
    for name in COUNTERS:
        assert total(found, name) == sum(one[name] or 0 for one in latest.values())


@given(st.lists(_of_request), st.data())
def test_what_is_replayed_counts_nothing(reports: list[Usage], data: st.DataObject) -> None:
    """U6: the last word on each request, said again in any order and any number, changes no row."""
    ledger = Ledger()
    rows(reports, ledger)
    last = list({report.request: report for report in reports}.values())
    again = data.draw(st.lists(st.sampled_from(last))) if last else []
    assert rows(again, ledger) == {}


@given(st.permutations([Usage(counts=Counts(input=n), request=f"r{n}", model="m") for n in range(6)]))
def test_the_order_of_requests_is_of_no_account(reports: list[Usage]) -> None:
    (row,) = rows(reports).values()
    assert row.counts.input == 15


@given(st.lists(st.builds(Usage, counts=_counts, model=st.just("m")), min_size=1))
def test_unknown_stays_unknown(reports: list[Usage]) -> None:
    """U2: unknown while no report tells a counter; 'at least' exactly when some tell one and others do not."""
    (row,) = rows(reports).values()
    partly = False
    for name in COUNTERS:
        told = [value for report in reports if (value := getattr(report.counts, name)) is not None]
        assert getattr(row.counts, name) == (sum(told) if told else None)
        partly = partly or 0 < len(told) < len(reports)
    assert row.at_least == partly


@given(st.lists(st.integers(min_value=0, max_value=1000), min_size=1), st.integers(min_value=0, max_value=1000))
def test_a_cumulative_counter_counts_by_differences(readings: list[int], before: int) -> None:
    ledger = Ledger({(None, "m"): Counts(input=before)})
    reports = [Usage(counts=Counts(input=now), model="m", cumulative=True) for now in readings]
    (row,) = rows(reports, ledger).values()
    assert row.counts.input == max(before, *readings) - before
    assert row.at_least == any(now < max(before, *readings[: index + 1]) for index, now in enumerate(readings))
    assert ledger.session_totals == {(None, "m"): Counts(input=max(before, *readings))}


@given(st.lists(st.lists(_known, min_size=1, max_size=4), min_size=1, max_size=4))
def test_attempts_on_one_session_add_up_to_its_totals(attempts: list[list[Counts]]) -> None:
    """U4: however the spending of a session is spread over attempts and readings, their sum is what was spent."""
    spent, counted = 0, 0
    ledger = Ledger()
    for readings in attempts:
        ledger = Ledger(ledger.session_totals)
        found: dict[str | None, Row] = {}
        for step in readings:
            spent += step.input or 0
            found |= rows([Usage(counts=Counts(input=spent), cumulative=True)], ledger)
        counted += total(found, "input")
    assert counted == spent


def test_a_later_reading_tells_what_an_earlier_one_did_not() -> None:
    first = Usage(counts=Counts(input=5), cumulative=True)
    (row,) = rows([first, Usage(counts=Counts(input=7, output=3), cumulative=True)]).values()
    assert row == Row(request="usage", model=None, counts=Counts(input=7, output=3), at_least=False)


def test_a_session_of_unknown_totals_counts_from_the_first_reading_on() -> None:
    ledger = Ledger(None)
    (row,) = rows([Usage(counts=Counts(input=50), cumulative=True)], ledger).values()
    assert (row.counts.input, row.at_least) == (0, True)
    (row,) = rows([Usage(counts=Counts(input=60), cumulative=True)], ledger).values()
    assert (row.counts.input, row.at_least) == (10, True)


def test_counters_of_different_ids_are_different_counters() -> None:
    reports = [
        Usage(counts=Counts(input=n), cumulative=True, request=one) for one, n in (("x", 9), ("y", 4), ("x", 10))
    ]
    (row,) = rows(reports).values()
    assert (row.counts.input, row.at_least) == (14, False)


@given(st.lists(_of_request), st.lists(_known, min_size=1, max_size=2), st.lists(_of_request))
def test_a_settling_report_takes_the_place_of_what_was_open(
    before: list[Usage], settled: list[Counts], after: list[Usage]
) -> None:
    closing = [Usage(counts=one, model="large", settles=True) for one in settled]
    ids = {report.request for report in before}
    found = rows([*before, *closing, *[report for report in after if report.request in ids]])
    for name in COUNTERS:
        assert total(found, name) == sum(getattr(one, name) for one in settled)
    assert not any(row.at_least for row in found.values())


def test_work_after_a_settling_report_is_open_again() -> None:
    (row,) = rows(
        [
            Usage(counts=Counts(input=1), request="a"),
            Usage(counts=Counts(input=1, output=2, cache_read=0, cache_write=0, cost=3), settles=True),
            Usage(counts=Counts(input=4), request="b"),
        ]
    ).values()
    assert row.counts == Counts(input=5, output=2, cache_read=0, cache_write=0, cost=3)
    assert row.at_least


def test_a_settled_model_that_got_another_name_has_used_nothing_under_the_first() -> None:
    ledger = Ledger()
    rows([Usage(counts=Counts(input=1), request="a", model="alias")], ledger)
    found = rows([Usage(counts=Counts(input=1, cost=2), model="real", settles=True)], ledger)
    assert found["alias"].counts == Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)
    assert not found["alias"].at_least


def test_a_settling_report_said_twice_counts_once() -> None:
    report = Usage(counts=Counts(input=3), request="result 1", settles=True)
    ledger = Ledger()
    rows([report], ledger)
    assert ledger.count(report) == ()


def test_open_requests_make_the_sessions_totals_unknown() -> None:
    ledger = Ledger()
    ledger.count(Usage(counts=Counts(input=3), request="a"))
    assert ledger.session_totals is None
    ledger.count(Usage(counts=Counts(input=3), settles=True))
    assert ledger.session_totals == {}


def test_a_doubtful_total_settles_nothing() -> None:
    ledger = Ledger(None)
    rows([Usage(counts=Counts(input=3), request="a", model="m")], ledger)
    (row,) = rows([Usage(counts=Counts(input=90), model="m", cumulative=True, settles=True)], ledger).values()
    assert (row.counts.input, row.at_least) == (3, True)


def test_a_report_that_knows_it_is_incomplete_says_so() -> None:
    (row,) = rows([Usage(counts=Counts(input=3), at_least=True)]).values()
    assert row.at_least
    (row,) = rows([Usage(counts=Counts(input=3), at_least=True, cumulative=True)]).values()
    assert row.at_least


@pytest.mark.parametrize("cumulative", [False, True])
def test_what_an_agent_can_make_it_remember_is_bounded(monkeypatch: pytest.MonkeyPatch, cumulative: bool) -> None:
    monkeypatch.setattr(ledger_module, "MAX_REQUESTS", 50)
    ledger = Ledger()
    for number in range(50):
        ledger.count(Usage(counts=Counts(input=1), request=str(number), cumulative=cumulative))
    for number in range(50, 60):
        ledger.count(Usage(counts=Counts(input=1), request=str(number), cumulative=cumulative))
    (row,) = ledger.count(Usage(counts=Counts(input=2), request="0", cumulative=cumulative))
    assert (row.counts.input, row.at_least) == (51, True)


def test_models_beyond_the_bound_share_a_row() -> None:
    found = rows([Usage(counts=Counts(input=1), model=f"m{number}") for number in range(MAX_MODELS + 9)])
    assert len(found) == MAX_MODELS + 1
    assert found[None].counts.input == 9


def test_a_sum_too_large_for_the_record_is_at_least() -> None:
    (row,) = rows([Usage(counts=Counts(input=MAX_COUNT)), Usage(counts=Counts(input=1))]).values()
    assert (row.counts.input, row.at_least) == (MAX_COUNT, True)


def test_nothing_new_gives_no_row() -> None:
    ledger = Ledger()
    report = Usage(counts=Counts(input=3), request="a", model="m")
    (row,) = ledger.count(report)
    assert row.request == "usage of m"
    assert ledger.count(report) == ()
    assert ledger.count(replace(report, counts=Counts())) == ()
