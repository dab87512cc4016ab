"""One TOML file of the person's, read once: its bytes, its data, and the line of every key."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import FileError
from harness.nearest import quoted
from harness.toml_lines import Lines
from harness.toml_walk import TooDeep, find_lines

LARGEST = 1 << 20  # bytes; a longer file is not one that a person wrote


@dataclass(frozen=True, kw_only=True, slots=True)
class TomlFile:
    """A file that is TOML; what its keys mean is for others to say."""

    path: Path
    content: bytes
    data: dict[str, Any]
    lines: Lines


def read_content(path: Path) -> bytes:
    """The bytes of an ordinary file of at most 1 MiB. Raises `ValueError` with half a sentence, or `OSError`."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):  # before it is opened: a pipe would not come back
        raise ValueError("is a folder, not a file" if stat.S_ISDIR(mode) else "is not an ordinary file")
    with path.open("rb") as opened:
        content = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError("is larger than 1 MiB, which is the most that is read")
    return content


def read_toml(path: Path, error: type[FileError]) -> TomlFile:
    """The file at `path`; what keeps it from being read or from being TOML is raised as `error`."""
    try:
        content = read_content(path)
    except OSError as problem:
        raise error(path, None, f"cannot be read: {problem.strerror or problem}") from problem
    except ValueError as problem:
        raise error(path, None, str(problem)) from problem
    try:
        text = content.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise error(path, line, "is not UTF-8 text") from problem
    try:
        lines = find_lines(text)
    except TooDeep as problem:
        raise error(path, problem.line, "nests deeper than anything in here needs") from problem
    return TomlFile(path=path, content=content, data=_decoded(path, text, lines, error), lines=lines)


def _decoded(path: Path, text: str, lines: Lines, error: type[FileError]) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        if lines.repeated is not None:
            repeated, line = lines.repeated
            raise error(path, line, f"sets {quoted(dotted(repeated))} a second time") from problem
        said = str(problem)
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", said)
        line = (
            int(where[1])
            if where is not None and where[1]
            else lines.line_at(len(text) if lines.broken_at is None else lines.broken_at)
        )
        what = said[: where.start()] if where is not None else said
        raise error(path, line, f"is not valid TOML: {what[:1].lower()}{what[1:]}") from problem
    except ValueError as problem:  # a number of more digits than Python converts
        digits = re.search("[0-9_]{4300}", text)
        line = lines.line_at(digits.start()) if digits is not None else 1
        raise error(path, line, "has a number of more digits than can be read") from problem


def dotted(path: tuple[str | int, ...]) -> str:
    """A key path as it would be written in the file, indexes left out."""
    return ".".join(part for part in path if isinstance(part, str))
