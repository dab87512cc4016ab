"""Fingerprints of an environment for the record: enough to see what changed, nothing to find a value from (R20)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes

from store.paths import open_private

_KEY_BYTES = 32
_FINGERPRINT_BYTES = 6


def fingerprints(env: Mapping[str, str], key: bytes) -> dict[str, str]:
    """A short fingerprint of each value by its name. Only with the key could one be tried against guesses."""
    return {name: fingerprint(value, key) for name, value in env.items()}


def fingerprint(value: str, key: bytes) -> str:
    """The fingerprint of one value: twelve hexadecimal digits, the same for the same value and key."""
    content = value.encode(errors="surrogateescape")
    return blake2b(content, digest_size=_FINGERPRINT_BYTES, key=key).hexdigest()


def fingerprint_key(path: Path) -> bytes:
    """The random key in the file at `path`, made now if it is not there; whoever comes second takes the first's."""
    while True:
        try:
            descriptor = open_private(path, os.O_RDONLY)
        except FileNotFoundError:
            _make(path)
            continue
        with os.fdopen(descriptor, "rb") as opened:
            return opened.read(_KEY_BYTES)


def _make(path: Path) -> None:
    """Puts a whole key at `path` or leaves the one that came before it: a link appears with all its content."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = open_private(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(descriptor, token_bytes(_KEY_BYTES))
    finally:
        os.close(descriptor)
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
