"""The writer thread: in order, in one commit where it can be, and honest when the record is beyond use."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.scribe import Scribe
from store.database import open_reader
from store.errors import RecordUnavailable
from store.events import HarnessPaused, HarnessUnpaused
from store.record import Batch

PAGE = 4096


def scribe_at(path: Path) -> Scribe:
    made = Scribe(path, machine="m")
    made.start()
    return made


def test_what_is_given_is_recorded_in_order(tmp_path: Path) -> None:
    scribe = scribe_at(tmp_path / "record.db")

    async def give() -> None:
        events = [HarnessPaused(id="1"), HarnessUnpaused(id="2"), HarnessPaused(id="3")]
        answers = await asyncio.gather(*(scribe.record([Batch(events=(event,))]) for event in events))
        assert [[one.id for one in recorded.applied] for (recorded,) in answers] == [["1"], ["2"], ["3"]]

    asyncio.run(give())
    scribe.close()
    reader = open_reader(tmp_path / "record.db")
    assert [row[0] for row in reader.execute("SELECT id FROM events ORDER BY seq")] == ["1", "2", "3"]
    reader.close()


def test_a_damaged_record_is_told_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    scribe_at(path).close()
    reader = open_reader(path)
    (page,) = reader.execute("SELECT rootpage FROM sqlite_master WHERE name='events'").fetchone()
    reader.close()
    with path.open("r+b") as opened:
        opened.seek(PAGE * (page - 1))
        opened.write(b"\xff" * PAGE)
    scribe = scribe_at(path)

    async def give() -> None:
        for number in range(2):
            with pytest.raises(RecordUnavailable, match="damaged"):
                await asyncio.wait_for(scribe.record([Batch(events=(HarnessPaused(id=str(number)),))]), 20)

    asyncio.run(give())
    scribe.close()
