"""What is taken from the standard error of an attempt."""

from __future__ import annotations

from pathlib import Path

from harness.agents.standard_error import last_lines


def test_lines_without_colours_and_empty_ones(tmp_path: Path) -> None:
    path = tmp_path / "err"
    path.write_bytes(b"\x1b[91m\x1b[1mError: \x1b[0mSession not found\r\n\n  \xff\n")
    assert last_lines(path) == ["Error: Session not found", "\ufffd"]


def test_only_the_end_of_a_long_one(tmp_path: Path) -> None:
    path = tmp_path / "err"
    path.write_text("first\n" + "x" * 100_000 + "\nlast\n")
    found = last_lines(path)
    assert found[-1] == "last"
    assert "first" not in found


def test_none_is_no_lines(tmp_path: Path) -> None:
    assert last_lines(None) == last_lines(tmp_path / "none") == last_lines(tmp_path) == []
