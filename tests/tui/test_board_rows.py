"""The rows of the board: below each agent why it stands as it does, and what a person should know besides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import events as e
from store.database import open_reader
from tests.tui.building import Building
from tui.board_rows import Remark, board_rows
from tui.glance import look


@pytest.fixture
def building(tmp_path: Path) -> Iterator[Building]:
    made = Building.at(tmp_path)
    yield made
    made.connection.close()


def remarks(building: Building, run: str) -> list[str]:
    reader = open_reader(building.places.record)
    try:
        rows = board_rows(look(reader, watched=True, workflow=None, run=run, limit=1))
    finally:
        reader.close()
    return [row.text for row in rows if isinstance(row, Remark) and row.of_agent]


def test_a_misspelt_report_line_is_named_below_its_agent_whatever_it_came_to(building: Building) -> None:
    run = building.launch()
    misread = "1 report line not understood, line 2: blocked needs reason"
    for agent, end in (
        ("api", e.DelegationFailed(run=run, agent="api", detail="it exited with status 1")),
        ("ui", e.DelegationBlocked(run=run, agent="ui", detail="said blocked without a reason")),
    ):
        building.start(run, agent)
        building.write(e.AttemptEnded(run=run, agent=agent, attempt=1, not_understood=1, misread=misread), end)
    assert remarks(building, run) == [
        "it exited with status 1",
        misread,
        "said blocked without a reason",
        misread,
    ]
