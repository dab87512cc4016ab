"""Reading a table key by key, each with its type, and every problem with its place.

Whoever reads a table asks for each key that may stand in it; what was not asked for is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from harness.duration import parse_duration
from harness.nearest import quoted, suggestion
from harness.problems import Problems
from harness.size import parse_size
from harness.toml_lines import KeyPath
from store.usage import NANO

MOST_DOLLARS = 1_000_000_000
MOST = 1_000_000_000

_Choice = TypeVar("_Choice", bound=StrEnum)
_Kind = TypeVar("_Kind")


class Table:
    """One table of the file. Each reader gives `None` when the key is missing or wrong; what is wrong is noted."""

    def __init__(self, content: Mapping[str, Any], path: KeyPath, name: str, problems: Problems) -> None:
        self.content = content
        self.path = path
        self.name = name
        self.problems = problems
        self._asked: set[str] = set()
        self._missing: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def wrong(self, key: str | None, sentence: str) -> None:
        """Notes a problem with one key of this table, or with the table itself."""
        self.problems.add(self.path if key is None else (*self.path, key), sentence)

    def missing(self, sentence: str) -> None:
        """Notes that something is not there, unless an unknown key turns up in its place: that is then what it was."""
        self._missing.append(sentence)

    def text(self, key: str, *, required: bool = False, empty: bool = False) -> str | None:
        """A string; a blank one counts as wrong unless `empty`."""
        value = self._typed(key, (str,), "must be text in quotes")
        if value is None:
            if required and key not in self.content:
                self.missing(f"{self.name} needs `{key}`")
            return None
        if not empty and not value.strip():
            self.wrong(key, f"`{key}` of {self.name} is empty")
            return None
        if "\0" in value:
            self.wrong(key, f"`{key}` of {self.name} has a NUL character in it")
            return None
        return value

    def flag(self, key: str) -> bool | None:
        """A `true` or `false`."""
        return self._typed(key, (bool,), "must be true or false")

    def count(self, key: str) -> int | None:
        """A whole number, 1 or more."""
        value = self._typed(key, (int,), "must be a whole number")
        if value is not None and not 1 <= value <= MOST:
            self.wrong(key, f"`{key}` of {self.name} must be 1 or more" + (f", at most {MOST}" if value > MOST else ""))
            return None
        return value

    def dollars(self, key: str, *, zero: bool = False) -> int | None:
        """An amount in USD as nano-dollars, more than nothing unless `zero`."""
        value = self._typed(key, (int, float), "must be a number of dollars, such as 2.5")
        if value is None:
            return None
        if not math.isfinite(value) or value < 0 or value > MOST_DOLLARS:
            self.wrong(key, f"`{key}` of {self.name} must be a number from 0 to {MOST_DOLLARS}")
            return None
        amount = round(value * NANO)
        if amount == 0 and not zero:
            self.wrong(key, f"`{key}` of {self.name} must be more than 0; leave it out for no limit")
            return None
        return amount

    def duration(self, key: str) -> float | None:
        """A duration in seconds."""
        return self._parsed(key, parse_duration, 'must be a duration such as "30s", "10m" or "8h"')

    def size(self, key: str) -> int | None:
        """A size in bytes."""
        return self._parsed(key, parse_size, 'must be a size such as "1MiB" or "2GiB"')

    def choice(self, key: str, kind: type[_Choice], *, required: bool = False) -> _Choice | None:
        """One of the members of `kind`."""
        value = self.text(key, required=required)
        if value is None:
            return None
        names = [str(one) for one in kind]
        if value not in names:
            self.wrong(key, f"`{key}` of {self.name} cannot be {quoted(value)}; {suggestion(value, names)}")
            return None
        return kind(value)

    def texts(self, key: str, *, of: str) -> tuple[str, ...] | None:
        """A list of one or more strings, `of` what it lists."""
        return self._list(key, str, f'must be a list of {of}, such as ["a", "b"]', "must be text in quotes")

    def numbers(self, key: str, *, of: str) -> tuple[int, ...] | None:
        """A list of one or more whole numbers, `of` what it lists."""
        return self._list(key, int, f"must be a list of {of}, such as [1, 2]", "must be a whole number")

    def table(self, key: str, name: str) -> Table | None:
        """A table inside this one."""
        value = self._typed(key, (dict,), f"must be a table: [{self._header(key)}]")
        return None if value is None else Table(value, (*self.path, key), name, self.problems)

    def tables(self, key: str, name: str) -> list[Table]:
        """The tables of a list of tables; `name` is what one of them is called until it has said its own name."""
        how = f"must be a list of tables, each under its own [[{self._header(key)}]]"
        value = self._typed(key, (list,), how)
        found = []
        for index, one in enumerate(value or ()):
            if isinstance(one, dict):
                found.append(Table(one, (*self.path, key, index), name, self.problems))
            else:
                self.problems.add((*self.path, key, index), f"`{key}` of {self.name} {how}")
        return found

    def named_tables(self, name: str) -> dict[str, Table]:
        """All tables inside this one, by the names they stand under; `name` is what one of them is."""
        self._asked.update(self.content)
        found = {}
        for key in self.content:
            inner = self.table(key, f"{name} {quoted(key)}")
            if inner is not None:
                found[key] = inner
        return found

    @property
    def unknown_keys(self) -> list[str]:
        """The keys that nobody has asked for so far. Each may be the misspelling of one that seems to be missing."""
        return [key for key in self.content if key not in self._asked]

    @property
    def unknown_tables(self) -> list[str]:
        """Those of them that may be the misspelling of a table, or of a list of tables."""
        return [key for key in self.unknown_keys if isinstance(self.content[key], dict | list)]

    def done(self) -> None:
        """Notes every key that nobody asked for, with the nearest that may stand here, and what is missing."""
        for key in self.unknown_keys:
            near = suggestion(key, sorted(self._asked))
            self.wrong(key, f"there is no key {quoted(key)} in {self.name}; {near}")
        if not self.unknown_keys:
            for sentence in self._missing:
                self.wrong(None, sentence)

    def _header(self, key: str) -> str:
        return ".".join([*(part for part in self.path if isinstance(part, str)), key])

    def _typed(self, key: str, kinds: tuple[type[_Kind], ...], how: str) -> _Kind | None:
        self._asked.add(key)
        if key not in self.content:
            return None
        value = self.content[key]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            self.wrong(key, f"`{key}` of {self.name} {how}, not {_kind_of(value)}")
            return None
        return value

    def _parsed(self, key: str, parse: Callable[[str], _Kind], how: str) -> _Kind | None:
        value = self._typed(key, (str,), how)
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError as problem:
            self.wrong(key, f"`{key}` of {self.name} {problem}, not {quoted(value)}")
            return None

    def _list(self, key: str, kind: type[_Kind], how: str, how_one: str) -> tuple[_Kind, ...] | None:
        value = self._typed(key, (list,), how)
        if value is None:
            return None
        if not value:
            self.wrong(key, f"`{key}` of {self.name} is empty")
            return None
        for index, one in enumerate(value):
            if not isinstance(one, kind) or isinstance(one, bool):
                place = (*self.path, key, index)
                self.problems.add(place, f"each of `{key}` of {self.name} {how_one}, not {_kind_of(one)}")
                return None
            if isinstance(one, str) and "\0" in one:
                self.problems.add((*self.path, key, index), f"each of `{key}` of {self.name} must be without NUL")
                return None
        return tuple(value)


def unknown(word: str, names: Collection[str], what: str) -> str:
    """The sentence for a name that is none of `names`."""
    return f"there is no {what} {quoted(word)}; {suggestion(word, names)}"


def _kind_of(value: object) -> str:
    names: dict[type, str] = {str: "text", bool: "a true or false", int: "a number", float: "a decimal number"}
    names |= {list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")
