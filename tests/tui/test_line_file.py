from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui import line_file
from tui.line_file import LONGEST, LineFile


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path / "a.out", os.O_RDWR | os.O_CREAT)
    yield descriptor
    os.close(descriptor)


def _lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


@given(st.lists(st.binary(max_size=40).filter(lambda one: one != b""), max_size=30), st.integers(3, 17))
def test_lines_are_those_of_the_file_however_it_grows_and_whatever_the_chunk(pieces: list[bytes], chunk: int) -> None:
    before = line_file.CHUNK
    line_file.CHUNK = chunk
    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            lines, content = LineFile(file.fileno()), b""
            for piece in pieces:
                file.write(piece)
                content += piece
                while lines.grow():
                    pass
                expected = _lines(content)
                assert lines.count == len(expected)
                assert [lines.line(number) for number in range(lines.count)] == expected
    finally:
        line_file.CHUNK = before


def test_a_line_that_does_not_exist_is_empty(journal: int) -> None:
    lines = LineFile(journal)
    assert lines.line(0) == b""
    os.pwrite(journal, b"one\n", 0)
    lines.grow()
    assert lines.line(1) == b""


def test_a_giant_line_is_given_out_cut_and_its_length_is_known(journal: int) -> None:
    os.pwrite(journal, b"x" * (LONGEST * 20) + b"\nnext\n", 0)
    lines = LineFile(journal)
    while lines.grow():
        pass
    assert lines.count == 2
    assert lines.line(0) == b"x" * LONGEST
    assert lines.length(0) == LONGEST * 20
    assert lines.line(1) == b"next"


def test_a_million_lines_take_an_entry_a_chunk_and_any_of_them_is_at_hand(journal: int) -> None:
    os.pwrite(journal, b"".join(b"line %d\n" % number for number in range(1_000_000)), 0)
    lines = LineFile(journal)
    while lines.grow():
        pass
    assert lines.count == 1_000_000
    assert len(lines._before) < 1_000
    assert [lines.line(number) for number in (0, 499_999, 999_999)] == [b"line 0", b"line 499999", b"line 999999"]


@pytest.mark.parametrize(
    ("start", "backwards", "expected"),
    [(0, False, 777), (778, False, 90_777), (90_776, True, 777), (100_000, True, 90_777), (776, True, None)],
)
def test_the_nearest_match_is_found_in_both_directions(
    journal: int, start: int, backwards: bool, expected: int | None
) -> None:
    content = [b"nothing here" for _ in range(100_001)]
    content[777] = content[90_777] = b"a NEEDLE here"
    os.pwrite(journal, b"\n".join(content), 0)
    lines = LineFile(journal)
    while lines.grow():
        pass
    wanted = re.compile(b"needle", re.IGNORECASE)
    assert lines.find(wanted, start, backwards=backwards) == expected


@given(st.lists(st.sampled_from([b"ab", b"needle", b"xneedlex", b""]), min_size=1, max_size=40), st.data())
def test_a_search_finds_what_looking_at_every_line_finds(content: list[bytes], data: st.DataObject) -> None:
    before = line_file.CHUNK
    line_file.CHUNK = 7
    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            file.write(b"\n".join(content))
            lines = LineFile(file.fileno())
            while lines.grow():
                pass
            if not lines.count:
                return
            start = data.draw(st.integers(0, lines.count - 1))
            matching = [number for number in range(lines.count) if b"needle" in lines.line(number)]
            wanted = re.compile(b"needle")
            after = [number for number in matching if number >= start]
            earlier = [number for number in matching if number <= start]
            assert lines.find(wanted, start, backwards=False) == (after[0] if after else None)
            assert lines.find(wanted, start, backwards=True) == (earlier[-1] if earlier else None)
    finally:
        line_file.CHUNK = before
