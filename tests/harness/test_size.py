"""Sizes as people write them, and as they are told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.size import LARGEST, format_size, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1B", 1),
        ("512KiB", 512 << 10),
        ("1MiB", 1 << 20),
        ("2GiB", 2 << 30),
        ("2gb", 2_000_000_000),
        ("1.5 MiB", 3 << 19),
    ],
)
def test_what_a_size_means(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "1", "MiB", "-1MiB", "1 iB", "1Mi", "0B", "0.1B", "infMiB", "1e3B", "2000TiB", "9" * 99 + "B"]
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must be "):
        parse_size(text)


@settings(deadline=None)
@given(st.integers(1, LARGEST))
def test_a_size_is_told_so_that_it_can_be_written(size: int) -> None:
    assert parse_size(format_size(size)) == pytest.approx(size, rel=0.05)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1 << 20, "1 MiB"), (3 << 19, "1.5 MiB"), (5 << 40, "5 TiB")],
)
def test_how_a_size_is_told(size: int, text: str) -> None:
    assert format_size(size) == text
