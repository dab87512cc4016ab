from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.lines import Cell, Span, changed, ends, fit, length, row, text_of
from tui.text import cells

TEXTS = st.text(alphabet="ab \u4e2d\u00e9\u2713", max_size=12)
SPANS = st.lists(st.tuples(TEXTS, st.sampled_from(["", "red", "dim"])), max_size=6)


@given(SPANS, st.integers(0, 30))
def test_a_fitted_line_never_takes_more_than_its_width(spans: list[Span], width: int) -> None:
    assert length(fit(spans, width)) <= width


@given(SPANS, SPANS, st.integers(1, 40))
def test_a_line_with_two_ends_never_takes_more_than_its_width(left: list[Span], right: list[Span], width: int) -> None:
    assert length(ends(left, right, width)) <= width


def test_what_fits_is_kept_whole_and_neighbours_of_one_tone_become_one() -> None:
    assert fit([("ab", "red"), ("cd", "red"), ("ef", "")], 6) == (("abcd", "red"), ("ef", ""))


def test_the_right_end_stays_and_the_left_gives_way() -> None:
    assert text_of(ends([("a long beginning", "")], [("end", "")], 12)) == "a long ~ end"


def test_columns_stand_where_their_widths_say() -> None:
    line = row([Cell("ship", 6), Cell("", 0), Cell("$2", 4, "dim", right=True)], 20)
    assert text_of(line) == "ship     $2"


def test_a_wide_character_is_not_cut_in_half() -> None:
    assert cells(text_of(row([Cell("\u4e2d\u4e2d\u4e2d", 4)], 4))) <= 4


@given(SPANS, SPANS)
def test_the_changed_cells_hold_every_difference(old: list[Span], new: list[Span]) -> None:
    width = 60
    before, after = fit(old, width), fit(new, width)
    found = changed(before, after, width)
    if found is None:
        assert before == after
        return
    start, end = found
    assert 0 <= start < end <= width
    assert _cells(before)[:start] == _cells(after)[:start]
    if length(before) == length(after):
        assert _cells(before, width)[end:] == _cells(after, width)[end:]


def test_only_the_clock_changes_when_only_the_clock_changed() -> None:
    before = fit([("api", ""), ("12s", "cyan"), ("done", "green")], 10)
    after = fit([("api", ""), ("13s", "cyan"), ("done", "green")], 10)
    assert changed(before, after, 10) == (4, 5)


def _cells(line: tuple[Span, ...], width: int = 0) -> list[tuple[str, str]]:
    found = [(character, tone) for text, tone in line for character in text for _ in range(cells(character))]
    return found + [(" ", "")] * (width - len(found))
