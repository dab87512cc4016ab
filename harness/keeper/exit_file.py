"""`….exit`: how an attempt ended, for a watch that was not there to see it."""

from __future__ import annotations

import os

NAMES = ("exit_code", "signal", "started_at", "ended_at", "leftovers", "beyond_reach", "asked")
"""The facts, in the order in which the word `gone` gives them too.

`exit_code` or `signal`, the other is null; times in milliseconds since 1970, `ended_at` when the whole tree was gone;
`leftovers` and `beyond_reach` count processes; `asked` is why the keeper itself ended it: `watch gone`, `timeout`,
`output limit`, `terminated`, or null when it did not.
"""
Fact = int | str | None


def facts(status: int, *, started_at: int, ended_at: int, leftovers: int, beyond: int, asked: str | None) -> list[Fact]:
    """The facts of an agent that ended with this wait status."""
    signalled = os.WIFSIGNALED(status)
    code = None if signalled else os.WEXITSTATUS(status)
    signal = os.WTERMSIG(status) if signalled else None
    return [code, signal, started_at, ended_at, leftovers, beyond, asked]


def as_words(given: list[Fact]) -> bytes:
    """The facts on one line."""
    return " ".join("-" if fact is None else str(fact) for fact in given).encode()


def as_json(given: list[Fact], boot: str) -> bytes:
    """The facts as a JSON object, with the id of the boot in which they came about."""
    values = ("null" if fact is None else f'"{fact}"' if isinstance(fact, str) else str(fact) for fact in given)
    pairs = [f'"{name}": {value}' for name, value in zip(NAMES, values, strict=True)]
    return f'{{{", ".join(pairs)}, "boot": "{boot}"}}\n'.encode()


def write_durably(path: bytes, content: bytes) -> None:
    """The file is there whole or not at all, and stays through a power loss. Raises `OSError`."""
    part = path + b".part"
    opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(opened, content)
        os.fsync(opened)
    finally:
        os.close(opened)
    os.rename(part, path)  # noqa: PTH104  # pathlib weighs too much here
    folder = os.open(os.path.dirname(path), os.O_RDONLY)  # noqa: PTH120
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
