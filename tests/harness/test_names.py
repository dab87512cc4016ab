"""The rule for names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.names import fault_of_name, normal_name

LETTERS = st.characters(categories=["Lu", "Ll", "Lt", "Lm", "Lo", "Nd"], include_characters="_-")


@settings(deadline=None)
@given(st.text(alphabet=LETTERS, min_size=1, max_size=64))
def test_letters_and_digits_of_any_script_are_good(name: str) -> None:
    assert fault_of_name(name) is None
    assert fault_of_name(f"{name[:62]}.x") is None


@settings(deadline=None)
@given(
    st.text(alphabet=LETTERS, max_size=20),
    st.characters(categories=["Cc", "Cf", "Zs", "Zl", "Po", "Sm", "So", "No"], exclude_characters="."),
)
def test_no_other_sign_is(name: str, sign: str) -> None:
    assert fault_of_name(name + sign) is not None
    assert (fault_of_name(name + sign) or "").isprintable()


@pytest.mark.parametrize("name", ["", ".", "..", ".a", "a/b", "a b", "a\n", "x" * 65, "\N{COMBINING ACUTE ACCENT}a"])
def test_what_is_no_name(name: str) -> None:
    assert fault_of_name(name) is not None


@settings(deadline=None)
@given(st.text())
def test_the_one_spelling_is_the_same_for_every_spelling(name: str) -> None:
    assert normal_name(normal_name(name)) == normal_name(name)
