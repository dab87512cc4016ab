"""Bytes from a pipe into a journal."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.keeper.pipe import Pipe


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    yield reading, writing
    os.close(reading)


def journal(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT)


@pytest.mark.parametrize("copies", [False, True])
def test_what_is_there_is_moved_and_the_end_is_seen(tmp_path: Path, ends: tuple[int, int], copies: bool) -> None:
    pipe = Pipe(ends[0], journal(tmp_path / "out"))
    pipe.copies = copies
    assert (pipe.move(), pipe.ended) == (0, False)
    os.write(ends[1], b"one\0\xff")
    assert pipe.move() == 5
    os.write(ends[1], b"two")
    os.close(ends[1])
    assert (pipe.move(), pipe.ended) == (3, False)
    assert (pipe.move(), pipe.ended, pipe.moved) == (0, True, 8)
    assert (tmp_path / "out").read_bytes() == b"one\0\xfftwo"
    os.close(pipe.journal)


def test_where_nothing_can_be_spliced_it_is_copied(tmp_path: Path, ends: tuple[int, int]) -> None:
    appending = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT | os.O_APPEND)  # which splice refuses
    pipe = Pipe(ends[0], appending)
    os.write(ends[1], b"bytes")
    assert pipe.move() == 5
    assert (tmp_path / "out").read_bytes() == b"bytes"
    os.close(appending)
    os.close(ends[1])


@pytest.mark.parametrize("copies", [False, True])
def test_what_has_no_room_is_not_lost(tmp_path: Path, ends: tuple[int, int], copies: bool) -> None:
    full = os.open("/dev/full", os.O_RDWR)
    pipe = Pipe(ends[0], full)
    pipe.copies = copies
    os.write(ends[1], b"waits")
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            pipe.move()
    pipe.journal = journal(tmp_path / "out")
    assert (pipe.move(), pipe.moved) == (5, 5)
    assert (tmp_path / "out").read_bytes() == b"waits"
    os.close(full)
    os.close(pipe.journal)
    os.close(ends[1])


def test_what_went_in_before_there_was_no_room_is_told_first(tmp_path: Path, ends: tuple[int, int]) -> None:
    pipe = Pipe(ends[0], journal(tmp_path / "out"))
    pipe.copies = True
    os.write(ends[1], b"one two")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, before[1]))
    try:
        assert pipe.move() == 3
        with pytest.raises(OSError, match="File too large"):
            pipe.move()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (pipe.move(), pipe.moved) == (4, 7)
    assert (tmp_path / "out").read_bytes() == b"one two"
    os.close(pipe.journal)
    os.close(ends[1])
