from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from tui.commands.table import table
from tui.commands.terminal import Terminal
from tui.text import cells


def _terminal(*, width: int | None = None, colour: bool = False) -> Terminal:
    return Terminal(io.StringIO(), io.StringIO(), width=width, colour=colour)


WORDS = st.text(st.sampled_from("ab日本 é"), max_size=30).map(str.strip)


@given(st.lists(st.tuples(WORDS, WORDS, st.text("0123456789", max_size=4)), min_size=1, max_size=6))
def test_rows_fit_and_their_last_column_ends_together(rows: list[tuple[str, str, str]]) -> None:
    lines = table(_terminal(width=40), rows, header=("A", "B", "N"), right=(2,), gives=(0, 1))
    assert all(cells(line) <= 40 for line in lines)
    figures = [cells(line) for line, row in zip(lines[1:], rows, strict=True) if row[2]]
    assert len(set(figures)) <= 1


def test_wide_characters_keep_columns_straight() -> None:
    assert table(_terminal(), [("日本", "x"), ("abc", "y")]) == ["日本  x", "abc   y"]


def test_a_column_with_nothing_in_it_takes_no_room() -> None:
    assert table(_terminal(), [("a", "", "b")]) == ["a  b"]


def test_columns_give_in_their_order_and_keep_something() -> None:
    (line,) = table(_terminal(width=30), [("a" * 20, "b" * 20, "c")], gives=(1, 0))
    assert line == f"{'a' * 16}~  {'b' * 7}~  c"


def test_colour_does_not_move_anything() -> None:
    rows = [("x", "done", "1"), ("yy", "failed", "22")]
    plain = table(_terminal(), rows, right=(2,))
    painted = table(_terminal(colour=True), rows, right=(2,), colours=["green", "red"], coloured=(1,))
    assert painted[0] == plain[0].replace("done", "\x1b[32mdone\x1b[0m")
    assert painted[1] == plain[1].replace("failed", "\x1b[31mfailed\x1b[0m")


def test_nothing_makes_no_lines() -> None:
    assert table(_terminal(), []) == []
