from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import Outcome
from store.views import run_lines
from tests.tui.building import Building
from tui.run_words import parse


def test_fields_and_words_are_told_apart() -> None:
    asked = parse("outcome:not-accepted  round cost:$2 workflow:ship !docs")
    assert (asked.filter.outcome, asked.filter.name, asked.filter.cost) == (Outcome.NOT_ACCEPTED, "ship", 2 * 10**9)
    assert (asked.words, asked.problem) == ("round !docs", "")


@pytest.mark.parametrize("typed", ["outcome:", "outcome:splendid", "since:soon", "cost:much", "cost:nan"])
def test_a_field_that_makes_no_sense_asks_for_nothing_and_says_so(typed: str) -> None:
    asked = parse(typed)
    assert (asked.filter.outcome, asked.filter.since, asked.filter.cost) == (None, None, None)
    assert asked.problem.startswith(typed.partition(":")[0])


@given(st.text())
def test_whatever_is_typed_is_read(typed: str) -> None:
    parse(typed)


def test_runs_that_fit(building: Building) -> None:
    ship, docs = building.finished(), building.finished(Outcome.BLOCKED, "/flows/docs.toml")
    lines = run_lines(building.connection)

    def fitting(typed: str) -> list[str]:
        return [line.id for line in lines if parse(typed).fits(line)]

    assert fitting("") == [docs, ship]
    assert fitting("outcome:blocked") == [docs]
    assert fitting("workflow:ship") == [ship]
    assert fitting("!ship because") == [docs]
    assert fitting("since:1d") == [docs, ship]
    assert fitting("since:2999-01-01") == []
