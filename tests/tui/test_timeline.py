from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.run import Run
from store.views import load_run, run_lines
from tests.tui.scenes import NOW, busy
from tui.lines import length, text_of
from tui.timeline import Piece, Scale, axis, bar, timeline

MOMENTS = st.integers(min_value=-(10**13), max_value=10**13)


@pytest.fixture
def runs(home: Path) -> list[Run]:
    home.mkdir()
    connection = busy(home).building.connection
    return [load_run(connection, line.id) for line in run_lines(connection)]


@given(begin=MOMENTS, span=st.integers(1, 10**12), width=st.integers(1, 300), moment=MOMENTS)
def test_every_moment_has_a_column_and_later_is_never_further_left(
    begin: int, span: int, width: int, moment: int
) -> None:
    scale = Scale(begin=begin, end=begin + span, width=width)
    assert 0 <= scale.column(moment) < width
    assert scale.column(moment) <= scale.column(moment + 1)
    assert scale.column(begin) == 0
    assert scale.column(begin + span) == width - 1


def test_a_bar_shows_each_piece_and_its_mark_over_them() -> None:
    scale = Scale(begin=0, end=100, width=10)
    assert bar(scale, [Piece(begin=0, end=25), Piece(begin=60, end=99)], "-", (99, "x")) == "---   ---x"
    assert bar(scale, [Piece(begin=50, end=50)], "-") == "     -    "
    assert bar(scale, [], "-") == " " * 10


def test_times_on_the_axis_stand_over_their_columns() -> None:
    noon = 1_767_268_800_000
    scale = Scale(begin=noon, end=noon + 3_600_000, width=60)
    labels = axis(scale, NOW).split("|")[1:]
    assert [label.strip() for label in labels] == ["12:00", "12:14", "12:28", "12:42"]
    assert len(axis(scale, NOW)) <= 60


@pytest.mark.parametrize("width", [30, 45, 78, 118, 300])
@pytest.mark.parametrize("ascii_signs", [False, True])
def test_every_run_fits_and_names_its_agents(runs: list[Run], width: int, ascii_signs: bool) -> None:
    for run in runs:
        lines = list(timeline(run, NOW, width, ascii_signs=ascii_signs))
        assert all(length(line) <= width for line in lines)
        text = "\n".join(text_of(line) for line in lines)
        assert len(lines) == 1 + len(run.plan.waves) + len(run.delegations)
        assert all(name[:4] in text for name in run.delegations)
        assert text.isascii() or not ascii_signs


def test_what_ended_badly_is_marked_where_it_ended(runs: list[Run]) -> None:
    triage = next(run for run in runs if run.name == "triage")
    tests = next(text_of(line) for line in timeline(triage, NOW, 118, ascii_signs=True) if "tests" in text_of(line))
    review = next(text_of(line) for line in timeline(triage, NOW, 118, ascii_signs=True) if "review" in text_of(line))
    assert "x" in tests.replace("tests", "")
    assert tests.index("x") < review.index("+")
    assert "failed" in tests
