"""Lines, however the bytes are cut, in bounded memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.journal import KEPT, LONGEST, CutLine, Lines

LONG, BEGINNING = 10, 4


def framed(chunks: list[bytes], *, longest: int = LONG, kept: int = BEGINNING) -> list[bytes]:
    framing = Lines(longest=longest, kept=kept)
    return [line for chunk in chunks for line in framing.feed(chunk)] + framing.end()


def expected(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line if len(line) <= LONG else line[:BEGINNING] for line in lines]


@given(st.lists(st.binary(max_size=30) | st.sampled_from([b"\n", b"x" * 12, b"y" * 10, b"\n\n"]), max_size=12))
def test_lines_do_not_depend_on_how_the_bytes_are_cut(chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    assert framed(chunks) == framed([content]) == expected(content)


@given(st.lists(st.binary(max_size=30), max_size=12))
def test_a_line_that_is_too_long_says_how_long_it_was(chunks: list[bytes]) -> None:
    lines = b"".join(chunks).split(b"\n")
    cut = [line for line in framed(chunks) if isinstance(line, CutLine)]
    assert [line.length for line in cut] == [len(line) for line in lines if len(line) > LONG]


def test_a_line_of_three_megabytes_arrives_whole() -> None:
    line = b"x" * (3 << 20)
    framing = Lines()
    found = [one for at in range(0, len(line), 65536) for one in framing.feed(line[at : at + 65536])]
    assert found == []
    assert framing.feed(b"\nnext") == [line]
    assert framing.end() == [b"next"]


def test_the_limit_is_what_is_documented() -> None:
    (just,) = Lines().feed(b"x" * LONGEST + b"\n")
    (over,) = Lines().feed(b"x" * (LONGEST + 1) + b"\n")
    assert not isinstance(just, CutLine)
    assert isinstance(over, CutLine)
    assert (len(over), over.length) == (KEPT, LONGEST + 1)


def test_a_line_without_end_is_not_held_whole() -> None:
    import tracemalloc

    framing, chunk = Lines(), b"x" * 65536
    tracemalloc.start()
    try:
        for _ in range(1600):
            assert framing.feed(chunk) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * LONGEST
    (line,) = framing.end()
    assert isinstance(line, CutLine)
    assert (line, line.length) == (b"x" * KEPT, 1600 * 65536)


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    assert framed([b"\xff\xfe\x00\r\n\xc3", b"\n\x1b]0;"], longest=100) == [b"\xff\xfe\x00\r", b"\xc3", b"\x1b]0;"]
