"""What holds for the reader of every CLI that prints lines, whatever stands in them."""

from __future__ import annotations

import json

import pytest

from harness.agents import adapter, names
from harness.reports import Failure, Result, Unknown, Usage
from store.model import Counts
from tests.harness.agents.recordings import lines
from tests.harness.agents.recordings import names as recordings

READERS = [name for name in names() if adapter(name).takes_lines and name != "openclaw"]  # one document
RECORDED = [(cli, name) for cli in READERS for name in recordings(cli)]
JUNK = (None, 5, "x", [], {}, [None, 5, {"type": []}], {"content": [{"type": {}}], "id": [], "usage": 3}, 10**30, True)


@pytest.mark.parametrize("cli", READERS)
@pytest.mark.parametrize(
    "line", [b"plain words", b"[1]", b'{"no": "type"}', b'{"type": 5}', b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}']
)
def test_a_line_that_is_none_of_its_own_is_not_understood(cli: str, line: bytes) -> None:
    assert tuple(adapter(cli).reader().read(line)) == (Unknown(line=line),)


@pytest.mark.parametrize("cli", READERS)
def test_an_empty_line_says_nothing(cli: str) -> None:
    assert tuple(adapter(cli).reader().read(b"  \r")) == ()


@pytest.mark.parametrize(("cli", "name"), RECORDED)
def test_every_line_of_its_own_is_understood(cli: str, name: str) -> None:
    reader = adapter(cli).reader()
    assert not [report for line in lines(cli, name) for report in reader.read(line) if isinstance(report, Unknown)]


@pytest.mark.parametrize(("cli", "name"), RECORDED)
def test_lines_with_junk_in_place_of_any_value_do_not_raise(cli: str, name: str) -> None:
    for line in filter(None, lines(cli, name)[-12:]):
        value = json.loads(line)
        for path in list(_paths(value))[:150]:
            for junk in JUNK:
                reader = adapter(cli).reader()
                for report in [*reader.read(json.dumps(_with(value, path, junk)).encode()), *reader.end()]:
                    assert not isinstance(report, Usage) or _sound(report.counts)


@pytest.mark.parametrize("cli", READERS)
def test_an_attempt_that_printed_nothing_has_used_nobody_knows_what(cli: str) -> None:
    reports = adapter(cli).reader().end()
    assert [report.counts for report in reports if isinstance(report, Usage)] == [Counts()]
    assert not any(isinstance(report, Result | Failure) for report in reports)


def _sound(counts: Counts) -> bool:
    told = (counts.input, counts.output, counts.cache_read, counts.cache_write, counts.cost)
    return all(one is None or (isinstance(one, int) and one >= 0) for one in told)


def _paths(value: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where each value in this one stands."""
    keys = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[str | int, ...]] = []
    for key, inner in keys:
        if key == "type" and not above:
            continue
        found += [(*above, key), *_paths(inner, (*above, key))]
    return found


def _with(value: object, path: tuple[str | int, ...], junk: object) -> object:
    """The same value with `junk` at that place."""
    if not path:
        return junk
    if isinstance(value, dict):
        return {**value, path[0]: _with(value[path[0]], path[1:], junk)}
    assert isinstance(value, list)
    return [_with(inner, path[1:], junk) if index == path[0] else inner for index, inner in enumerate(value)]
