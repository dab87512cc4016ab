"""Values out of lines that anybody may have written."""

from __future__ import annotations

from harness.agents.json_lines import MAX_DETAIL, one_line, record, records


def test_a_detail_is_the_first_line_that_says_something() -> None:
    assert one_line("\n  \n  make all \nrest") == "make all"
    assert one_line("") == one_line(" \n ") == ""


def test_a_long_detail_is_shortened_and_says_so() -> None:
    assert one_line("x" * MAX_DETAIL) == "x" * MAX_DETAIL
    assert one_line("x" * (MAX_DETAIL + 1)) == "x" * (MAX_DETAIL - 1) + "…"


def test_what_is_no_object_is_an_empty_one() -> None:
    assert record([1]) == record(None) == {}
    assert records({"a": 1}) == []
    assert records([1, {"a": 1}, None]) == [{"a": 1}]
