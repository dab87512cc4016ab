from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.hostile import HIDDEN
from tui.text import CUT, cells, clip, harmless, harmless_bytes, one_line, pad, wrapped

# Pieces from which hostile text is made: introducers, terminators, parameters, and what should survive.
INTRODUCERS = ["\x1b", "[", "]", "P", "_", "^", "X", "k", "\x9b", "\x9d", "\x90"]
TERMINATORS = ["\x07", "\x1b\\", "\x9c", "31m", "?1049h", "\x18", "\x1a"]
CONTROLS = ["\r", "\n", "\t", "\x00", "\x7f", "\x85", "\u2028", "\ud800", "\udcff"]
INVISIBLE = ["\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f", "\U000e0041"]
PLAIN = ["a", "日", "é", "e\u0301", "👩\u200d💻", " ", "0;", "52;c;"]
PIECES = st.sampled_from([*INTRODUCERS, *TERMINATORS, *CONTROLS, *INVISIBLE, *PLAIN])
HOSTILE = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)


@given(HOSTILE)
def test_nothing_is_left_that_a_terminal_obeys_or_that_cannot_be_seen(text: str) -> None:
    for character in harmless(text):
        assert character == "\n" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(HOSTILE)
def test_making_harmless_twice_changes_nothing_more(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)


@given(HOSTILE)
def test_each_line_is_made_harmless_by_itself(text: str) -> None:
    assert harmless(text).split("\n") == [harmless(line) for line in text.split("\n")]


@given(HOSTILE)
def test_it_can_always_be_written_as_utf_8(text: str) -> None:
    harmless(text).encode()


@given(st.text(st.characters(blacklist_categories=["Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp", "Mn", "Lo"])))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38:2::1:2:3mred", "red"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;aGk=\x9cafter", "after"),
        ("\x1bPq#0~~\x1b\\after", "after"),
        ("\x1b_Gf=100;AAAA\x1b\\after", "after"),
        ("\x1b^private\x1b\\\x1bXstring\x1b\\after", "after"),
        ("\x1bkname\x1b\\after", "after"),
        ("\x9b2Jafter", "after"),
        ("\x1b(Bafter\x1b7\x1bc", "after"),
    ],
)
def test_a_whole_sequence_is_left_out(printed: str, shown: str) -> None:
    assert harmless(printed) == shown


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b", "␛"),
        ("\x1b[31", "␛[31"),
        ("\x1b]0;never ended", "␛]0;never ended"),
        ("\x1b]0;never ended\nnext \x07", "␛]0;never ended\nnext ␇"),
        ("a\x00b\x08\x7f", "a␀b␈␡"),
        ("\x85\x9b", HIDDEN * 2),
        ("if \u202euser\u2066", f"if {HIDDEN}user{HIDDEN}"),
        ("zero\u200bwidth\ufeff\xad", f"zero{HIDDEN}width{HIDDEN}{HIDDEN}"),
        ("\U000e0069\U000e0067", HIDDEN * 2),
        ("50%\r60%", "50%␍60%"),
    ],
)
def test_what_is_broken_or_hidden_becomes_visible(printed: str, shown: str) -> None:
    assert harmless(printed) == shown


def test_joiners_and_variation_selectors_are_left_out_because_terminals_disagree_on_their_width() -> None:
    assert harmless("👩\u200d💻 ⚠\ufe0f") == "👩💻 ⚠"


def test_line_ends_of_every_system_are_newlines_and_tabs_are_columns() -> None:
    assert harmless("one\r\ntwo\r\r\nthree\r") == "one\ntwo\nthree"
    assert harmless("a\tb\n\tc") == "a       b\n        c"


def test_bytes_that_are_not_utf_8_show_one_by_one() -> None:
    assert harmless_bytes(b"a\xff\xfe \xc3\xa9 \x9b31m") == f"a{HIDDEN}{HIDDEN} é {HIDDEN}31m"
    assert harmless_bytes(b"\xed\xa0\x80") == HIDDEN * 3


@pytest.mark.parametrize("piece", ["\x1b]", "\x1b[1;", "\x1b   ", "\x1bP\x1b", "\x9d", "\r", "\r a", "a\x00", "\u202e"])
def test_hostile_megabytes_come_to_an_end(piece: str) -> None:
    # Work that grew with the square of this would run into the suite's timeout.
    text = piece * (2_000_000 // len(piece)) + "x\nend"
    assert harmless(text).endswith("\nend")


GRAPHEMES = ["a", "é", "日", "本", "👩", "e\u0301", "한", "~"]


@given(st.lists(st.sampled_from(GRAPHEMES), max_size=30).map("".join), st.integers(0, 20))
def test_clipped_text_fits_and_is_cut_only_when_it_must_be(text: str, width: int) -> None:
    clipped = clip(text, width)
    assert cells(clipped) <= width
    assert (clipped == text) == (cells(text) <= width)


@given(st.lists(st.sampled_from(GRAPHEMES), max_size=30).map("".join), st.integers(1, 20))
def test_padded_text_has_exactly_its_width(text: str, width: int) -> None:
    assert cells(pad(text, width)) == width


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x27FF), max_size=8).map(harmless))
def test_cells_are_counted_as_the_screen_counts_them(text: str) -> None:
    line = text.replace("\n", "")
    assert cells(line) == cell_len(line)


def test_a_wide_character_is_never_cut_in_two() -> None:
    assert clip("日本語", 4) == "日" + CUT
    assert clip("日本語", 5) == "日本" + CUT


def test_clipping_bounds_a_pile_of_combining_marks() -> None:
    assert len(clip("a" + "\u0301" * 10_000, 10)) <= 81


def test_one_line_draws_white_space_together() -> None:
    assert one_line("  a\n\n b\t c\x1b[2J ") == "a b c"


@given(st.lists(st.text(st.sampled_from("ab日"), min_size=1, max_size=20), min_size=1, max_size=9), st.integers(6, 30))
def test_wrapped_text_fits_and_loses_nothing(words: list[str], width: int) -> None:
    lines = wrapped(" ".join(words), width, indent="  ")
    assert all(cells(line) <= width for line in lines)
    assert "".join(" ".join(lines).split()) == "".join(words)
