from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size

from tui.screens.main_layout import Wanted, is_wide, regions
from tui.situation import Pane

WISHES = st.builds(
    Wanted,
    pane=st.sampled_from(list(Pane)),
    workflows=st.integers(0, 200),
    agents=st.integers(0, 300),
    footer=st.integers(1, 3),
)


@given(st.integers(10, 300), st.integers(8, 120), WISHES)
def test_every_cell_belongs_to_one_pane(width: int, height: int, wanted: Wanted) -> None:
    found = list(regions(Size(width, height), wanted).values())
    assert sum(region.area for region in found) == width * height
    assert all(Region(0, 0, width, height).contains_region(region) for region in found)
    for index, region in enumerate(found):
        assert not any(region.overlaps(other) for other in found[index + 1 :])


@given(st.integers(110, 300), st.integers(20, 120), WISHES)
def test_where_there_is_room_all_panes_are_shown_and_none_is_only_a_frame(
    width: int, height: int, wanted: Wanted
) -> None:
    found = regions(Size(width, height), wanted)
    assert {*Pane, "header", "footer", "cost"} == set(found)
    assert all(region.height >= (1 if name in ("header", "footer") else 3) for name, region in found.items())


@given(st.integers(1, 109), st.integers(8, 120), WISHES)
def test_where_there_is_not_only_the_pane_under_the_hand_is_and_the_cost_line_stays(
    width: int, height: int, wanted: Wanted
) -> None:
    found = regions(Size(width, height), wanted)
    assert set(found) == {"header", wanted.pane, "cost", "footer"}
    assert found["cost"].height == 1


def test_at_80_by_24_at_least_18_rows_are_left_for_the_list() -> None:
    found = regions(Size(80, 24), Wanted(Pane.RUNS, 5, 5))
    assert found[Pane.RUNS].height - 2 >= 18


def test_both_dimensions_decide() -> None:
    assert is_wide(Size(110, 20))
    assert not is_wide(Size(109, 20))
    assert not is_wide(Size(110, 19))
