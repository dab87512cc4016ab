"""Fingerprints of an environment."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.fingerprints import fingerprint_key, fingerprints

KEY = bytes(32)


def test_the_same_value_has_the_same_fingerprint_under_the_same_key_only() -> None:
    one = fingerprints({"A": "x", "B": "x", "C": "y", "D": "\udcff"}, KEY)
    assert one["A"] == one["B"] != one["C"]
    assert one == fingerprints({"A": "x", "B": "x", "C": "y", "D": "\udcff"}, KEY)
    assert one["A"] != fingerprints({"A": "x"}, b"1" * 32)["A"]


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.text(min_size=8)))
def test_no_value_is_in_them(env: dict[str, str]) -> None:
    found = fingerprints(env, KEY)
    assert found.keys() == env.keys()
    assert all(len(one) == 12 and int(one, 16) >= 0 for one in found.values())


def test_the_key_is_made_once_and_for_this_user_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        key = fingerprint_key(tmp_path / "key")
    finally:
        os.umask(before)
    assert len(key) == 32
    assert key != bytes(32)
    assert fingerprint_key(tmp_path / "key") == key
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["key"]
