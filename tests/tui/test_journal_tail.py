from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tui.journal_tail import LONGEST_LINE, JournalTail, Lines

PIECES = st.lists(st.binary(max_size=6) | st.sampled_from([b"\n", b"a\nb", b"\n\n"]), max_size=20)


def _lines(chunks: list[bytes]) -> list[bytes]:
    lines = Lines()
    found = [line for chunk in chunks for line in lines.take(chunk)]
    return [*found, *lines.end()]


@given(PIECES)
def test_lines_do_not_depend_on_how_the_bytes_came(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    expected = whole.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert _lines(chunks) == expected


def test_an_endless_line_comes_in_pieces_that_lose_nothing() -> None:
    data = b"x" * (3 * LONGEST_LINE + 7)
    found = _lines([data[start : start + 65_537] for start in range(0, len(data), 65_537)])
    assert max(map(len, found)) <= LONGEST_LINE
    assert b"".join(found) == data


def test_a_journal_gives_each_byte_once_also_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "a.out"
    tail = JournalTail(path)
    assert list(tail.chunks()) == []
    path.write_bytes(b"one")
    assert b"".join(tail.chunks()) == b"one"
    assert list(tail.chunks()) == []
    with path.open("ab") as file:
        file.write(b"two" * 100_000)
    assert b"".join(tail.chunks()) == b"two" * 100_000
