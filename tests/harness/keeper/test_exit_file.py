"""What `….exit` says, and that it says it whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness.attempt_exit import Exit
from harness.keeper.exit_file import Fact, as_json, as_words, facts, write_durably

EXITED, KILLED = 3 << 8, 9


@pytest.mark.parametrize(
    ("status", "asked", "code", "signal"),
    [(EXITED, None, 3, None), (KILLED, "output limit", None, 9), (0, "terminated", 0, None)],
)
def test_words_and_file_say_the_same(status: int, asked: str | None, code: int | None, signal: int | None) -> None:
    given: list[Fact] = facts(status, started_at=1, ended_at=2, leftovers=3, beyond=4, asked=asked)
    content = json.loads(as_json(given, "a-boot"))
    assert content.pop("boot") == "a-boot"
    ended = Exit.of_file(content, out_bytes=5, err_bytes=6)
    assert (ended.code, ended.signal, ended.asked, ended.leftovers, ended.beyond_reach) == (code, signal, asked, 3, 4)
    if asked is None or " " not in asked:
        assert Exit.of_words(as_words(given).split(b" "), out_bytes=5, err_bytes=6) == ended


def test_a_file_that_cannot_be_written_is_not_there(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "nowhere" / "1.exit")
    with pytest.raises(FileNotFoundError):
        write_durably(path, b"{}")
    write_durably(os.fsencode(tmp_path / "1.exit"), b"{}\n")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("1.exit", b"{}\n")]
