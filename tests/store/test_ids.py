"""Ids sort by time and are not given twice."""

from __future__ import annotations

import re
import time

import pytest

from store import ids
from store.ids import new_id, new_run_id, now_ms

LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


def test_their_shape() -> None:
    assert re.fullmatch(f"[{LETTERS}]{{16}}", new_id())
    assert re.fullmatch(f"[{LETTERS}]{{12}}", new_run_id())


def test_they_are_not_given_twice() -> None:
    assert len({new_id() for _ in range(20_000)}) == 20_000


def test_they_sort_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = [ids._EPOCH_MS, ids._EPOCH_MS + 1, ids._EPOCH_MS + 31, ids._EPOCH_MS + 32, now_ms(), now_ms() + 10**11]
    found = []
    for moment in moments:
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment * 1_000_000)
        found.append(new_run_id()[:8])
    assert found == sorted(found)
    assert len(set(found)) == len(set(moments))


def test_a_clock_before_the_epoch_still_gives_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert new_id().startswith("0" * 8)
