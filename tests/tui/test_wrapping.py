from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.text import cells
from tui.wrapping import rows_of


@given(st.text(alphabet="abc \u4e2d\u00e9", max_size=200), st.integers(2, 40))
def test_rows_fit_and_nothing_but_spaces_at_breaks_is_left_out(text: str, width: int) -> None:
    rows = rows_of(text, width)
    assert all(cells(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


def test_lines_are_broken_between_words() -> None:
    assert rows_of("the rounding in total() is wrong", 20) == ["the rounding in", "total() is wrong"]


def test_a_word_longer_than_a_row_is_broken_where_the_row_ends() -> None:
    assert rows_of("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_further_rows_are_indented_when_asked() -> None:
    assert rows_of("launch         Launch the workflow", 24, 15) == ["launch         Launch", " " * 12 + "the workflow"]


def test_an_empty_line_is_one_empty_row() -> None:
    assert rows_of("", 10) == [""]
