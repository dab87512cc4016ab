"""The line of every key, whatever shape of TOML it stands in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.toml_lines import KeyPath
from harness.toml_walk import TooDeep, find_lines

EVERY_SHAPE = '''# a comment with [brackets] and = signs
title = "x"   # [not.a.table]
a.b.c = 1
a . "d.e" = 2
'single # quoted' = 3
inline = { x = 1, y.z = [1,
  2, { q = 1 }], "w" = "}" }
many = [ # comment ]
  "]", # one
  """
three""", [
    4 ] ]
when = 1979-05-27 07:32:00
basic = """\\
  [inside.one]
k = 1 \\""" "" \'\'\'
"""
literal = \'\'\'
[inside.two]
k = 2 ""\' \'\'\'\'
[limits]
parallel = 1
[[waves]]
name = "x"
  [[waves.agents]]
  name = "n"
    [waves.agents.credential]
    provider = "p"
  [[waves.agents]]
  name = "m"
[inputs.feature]
prompt = "x"
[[waves]]
name = "y"
[[waves.agents]]
name = "o"
[inputs]
other.prompt = "between"
[inputs.third]
'''


def test_every_shape_of_toml() -> None:
    lines = find_lines(EVERY_SHAPE)

    expected: dict[KeyPath, int] = {
        ("title",): 2,
        ("a",): 3,
        ("a", "b", "c"): 3,
        ("a", "d.e"): 4,
        ("single # quoted",): 5,
        ("inline",): 6,
        ("inline", "y", "z"): 6,
        ("inline", "y", "z", 1): 7,
        ("inline", "y", "z", 2, "q"): 7,
        ("inline", "w"): 7,
        ("many",): 8,
        ("many", 0): 9,
        ("many", 1): 10,
        ("many", 2): 11,
        ("many", 2, 0): 12,
        ("when",): 13,
        ("basic",): 14,
        ("literal",): 18,
        ("limits", "parallel"): 22,
        ("waves",): 23,
        ("waves", 0, "name"): 24,
        ("waves", 0, "agents", 0): 25,
        ("waves", 0, "agents", 0, "credential", "provider"): 28,
        ("waves", 0, "agents", 1): 29,
        ("waves", 0, "agents", 1, "name"): 30,
        ("inputs", "feature"): 31,
        ("inputs", "feature", "prompt"): 32,
        ("waves", 1, "agents", 0, "name"): 36,
        ("inputs",): 37,
        ("inputs", "other", "prompt"): 38,
        ("inputs", "third"): 39,
    }
    assert {path: lines.line(path) for path in expected} == expected
    assert lines.repeated is None
    assert lines.broken_at is None


def test_what_is_not_there_is_at_the_line_of_what_is_around_it() -> None:
    lines = find_lines("x = 1\n[a.b]\ny = 2\n")
    assert lines.line(("a", "b", "nothing")) == 2
    assert lines.line(("a", "nothing")) == 2
    assert lines.line(("nothing",)) == 1


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        ("a = 1\nb = 2\na = 3\n", (("a",), 3)),
        ("[t]\n[u]\n[t]\n", (("t",), 3)),
        ("x = { a = 1,\n a = 2 }\n", (("x", "a"), 2)),
        ("[[t]]\na = 1\n[[t]]\na = 2\n", None),
        ("[t.u]\n[t]\n", None),
    ],
)
def test_a_key_that_is_set_again(text: str, repeated: tuple[KeyPath, int] | None) -> None:
    assert find_lines(text).repeated == repeated


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 40, "x = " + "{a=" * 40, ".".join("a" * 40) + " = 1", "\n[" + ".".join("a" * 40) + "]"]
)
def test_what_nests_without_end_is_refused(text: str) -> None:
    with pytest.raises(TooDeep) as caught:
        find_lines(text)
    assert caught.value.line == text.count("\n") + 1


@settings(deadline=None)
@given(st.text(alphabet="ab.=[]{}\"',\n #\\1", max_size=60))
def test_no_text_at_all_makes_it_fail(text: str) -> None:
    try:
        lines = find_lines(text)
    except TooDeep:
        return
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert lines.broken_at is None
    assert set(lines.places) == set(paths_of(data))


# A document is drawn line by line; each number in it stands there once, so the decoder says what path it has and a
# search says on which line it stands: neither knows anything of the walk.
KEYS = st.sampled_from(["a", "b", "c-1", '"q.r"', "'s t'", '"\\u0061x"', "7"])
DOTTED = st.lists(KEYS, min_size=1, max_size=3).map(" . ".join)
NASTY = st.sampled_from(["[x]", "k = 1", "# no", '"', '""', "''", "[[y]]", "}", "]", ",", "=", "\\n", "\\\\"])


@st.composite
def values(draw: st.DrawFn, numbers: Iterator[int], depth: int = 0) -> str:
    number = next(numbers)
    junk = " ".join(draw(st.lists(NASTY, max_size=3)))
    quiet = junk.replace("'", "")
    kinds = [
        f"{number}",
        f"'{number} {quiet}'",
        '"' + f"{number} " + junk.replace("\\", "").replace('"', '\\"') + '"',
        f'"""{number}\n""x"""""',
        f"'''{number}\n{quiet}\n[t]\n''{quiet}'''",
        f'"""{number}\n' + junk.replace("\\\\", "").replace('"', '\\"') + '\n\\\n   a = 1""\\""""',
    ]
    if depth < 2:
        between = draw(st.sampled_from([" ", "\n  ", " # ]}\n", "\n\n"]))
        some = [draw(values(numbers, depth + 1)) for _ in range(draw(st.integers(0, 3)))]
        kinds.append("[" + between + f"{between},{between}".join(some) + between + "]")
        keys = [f"i{index} . {draw(KEYS)}" for index in range(len(some))]
        kinds.append("{ " + ", ".join(f"{key} = {one}" for key, one in zip(keys, some, strict=True)) + " }")
    return draw(st.sampled_from(kinds))


@st.composite
def documents(draw: st.DrawFn) -> str:
    numbers = iter(range(100_000, 200_000))
    lines = []
    for index in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["pair", "pair", "table", "tables", "blank"]))
        if kind == "pair":
            key = draw(DOTTED) + draw(st.sampled_from(["", f" . k{index}", f".k{index}"]))
            lines.append(f"{key}\t= {draw(values(numbers))} # {index}")
        elif kind == "blank":
            lines.append(draw(st.sampled_from(["", "  ", "# [c]", "\t# k = 1"])))
        else:
            left, right = ("[[", "]]") if kind == "tables" else ("[", "]")
            lines.append(f"  {left} {draw(DOTTED)} {right}")
    return "\n".join(lines) + "\n"


def paths_of(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, one in value.items():
            yield from paths_of(one, (*path, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from paths_of(one, (*path, index))


def value_at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = data[part]
    return data


@settings(max_examples=300, deadline=None)
@given(documents())
def test_the_line_is_where_the_decoder_and_a_search_say(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
    lines = find_lines(text)

    assert lines.broken_at is None
    assert lines.repeated is None
    assert set(lines.places) == set(paths_of(data))
    for path in paths_of(data):
        value = value_at(data, path)
        if isinstance(value, int | str):
            number = str(value)[:6]
            assert lines.line(path) == text[: text.index(number)].count("\n") + 1, path


LINE_OF_BASIC = st.sampled_from(
    ["", " x", "\\n", "\\\\", '\\"', "\\u000a", "\\U0000000A", "\\\\n", "\\\n   ", "\\  \n\n\t", "'''", "\\t"]
)


@settings(deadline=None)
@given(st.lists(st.lists(LINE_OF_BASIC, max_size=3), min_size=1, max_size=6), st.booleans())
def test_a_line_within_a_string_of_several_lines(drawn: list[list[str]], first_break: bool) -> None:
    """Escapes add lines to the text that the file has not, and joined lines take away some that it has."""
    pieces = [f"<{number}>" + "".join(line) for number, line in enumerate(drawn)]
    text = 'a = 1\nk = """' + ("\n" if first_break else "") + "\n".join(pieces) + '"""\nb = 2\n'
    value = tomllib.loads(text)["k"]
    lines = find_lines(text)

    for number in range(len(drawn)):
        before = value[: value.index(f"<{number}>")]
        begins_a_line = before == "" or before.endswith("\n")
        joined = number > 0 and any("\n" in part for part in drawn[number - 1])
        if begins_a_line and not joined:
            expected = text[: text.index(f"<{number}>")].count("\n") + 1
            assert lines.line_within(("k",), before.count("\n") + 1) == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(["", "x", "\\n", '"""', "#"]), min_size=1, max_size=6), st.booleans())
def test_a_line_within_a_literal_string(pieces: list[str], first_break: bool) -> None:
    text = "a = 1\nk = '''" + ("\n" if first_break else "") + "<" + "\n".join(pieces) + "'''\n"
    lines = find_lines(text)
    for number in range(1, len(pieces) + 1):
        assert lines.line_within(("k",), number) == number + 1 + first_break


def test_a_line_within_a_string_counts_what_the_file_has() -> None:
    text = 'k = """\none\\ntwo \\\n  still two\nthree\\\\n\nfour"""\n'
    lines = find_lines(text)
    assert tomllib.loads(text)["k"].split("\n") == ["one", "two still two", "three\\n", "four"]
    assert [lines.line_within(("k",), number) for number in (1, 2, 3, 4)] == [2, 2, 4, 5]
