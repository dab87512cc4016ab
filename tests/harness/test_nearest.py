"""The name that was meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.nearest import nearest, quoted, suggestion


@pytest.mark.parametrize(
    ("word", "near"),
    [("timout", "timeout"), ("TIMEOUT", "timeout"), ("model_name", "model"), ("ro", "role"), ("xyz", None), ("", None)],
)
def test_the_nearest_name(word: str, near: str | None) -> None:
    assert nearest(word, ["timeout", "model", "role"]) == near


def test_a_beginning_that_two_names_share_is_no_name() -> None:
    assert nearest("wo", ["workflow-of-the-day", "workflow-of-the-night"]) is None


def test_what_a_person_is_told() -> None:
    assert suggestion("buidl", ["build", "check"]) == "did you mean 'build'?"
    assert suggestion("zzz", ["build", "check", "ship"]) == "it can be 'build', 'check' or 'ship'"
    assert suggestion("zzz", ["build"]) == "it can only be 'build'"
    assert suggestion("zzz", []) == "there are none"
    assert suggestion("zzz", [f"name-{number}" for number in range(99)]) == "there are 99 to choose from"


@settings(deadline=None)
@given(st.text())
def test_nothing_quoted_can_steer_a_terminal(word: str) -> None:
    shown = quoted(word)
    assert shown.isprintable()
    assert len(shown) <= 2 + 64 * 10


def test_a_long_word_is_cut_and_says_so() -> None:
    assert quoted("x" * 65) == "'" + "x" * 63 + "…'"
