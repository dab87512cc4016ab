"""Durations as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.duration import LONGEST, parse_duration

SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("10m", 600), ("8h", 28_800), ("2d", 172_800), ("1h30m", 5_400), ("1.5h", 5_400), (" 0.5s ", 0.5)],
)
def test_what_a_duration_means(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "30",
        "m",
        "m30",
        "30 m",
        "30M",
        "-1s",
        "+1s",
        "1e3s",
        "infs",
        "nans",
        "0s",
        "0h0m",
        "30m1h",
        "1h1h",
        "1_0s",
        "99999h",
        "9" * 400 + "s",
        "٣s",
        "1..5h",
        ".5h",
        "1s\n2s",
        "1h30",
    ],
)
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must be "):
        parse_duration(text)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("dhms"), st.integers(0, 300), min_size=1))
def test_the_parts_add_up(parts: dict[str, int]) -> None:
    total = sum(SECONDS[unit] * figure for unit, figure in parts.items())
    text = "".join(f"{parts[unit]}{unit}" for unit in "dhms" if unit in parts)
    if 0 < total <= LONGEST:
        assert parse_duration(text) == total
    else:
        with pytest.raises(ValueError, match="must be"):
            parse_duration(text)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.dhms -e", max_size=12))
def test_whatever_is_written_is_refused_or_a_positive_number_of_seconds(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except ValueError as refusal:
        assert str(refusal).startswith("must be ")
    else:
        assert 0 < seconds <= LONGEST
