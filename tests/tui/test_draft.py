from __future__ import annotations

from pathlib import Path

import pytest

from store.paths import Places
from tui.draft import Draft


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places.of_environment({"MIDWATCH_HOME": str(tmp_path)})
    found.prepare()
    return found


def test_what_is_kept_comes_back_for_that_workflow_only(places: Places) -> None:
    assert Draft(places, "/w/a.toml").save({"feature": "é\n中"}) == ""
    assert Draft(places, "/w/a.toml").load() == {"feature": "é\n中"}
    assert Draft(places, "/w/b.toml").load() == {}


def test_it_is_gone_after_it_was_cleared_and_clearing_twice_is_no_fault(places: Places) -> None:
    draft = Draft(places, "/w/a.toml")
    draft.save({"feature": "x"})
    draft.clear()
    draft.clear()
    assert draft.load() == {}


def test_a_disk_that_takes_nothing_is_a_sentence(places: Places) -> None:
    (places.state / "drafts").write_text("a file where the folder would be")
    assert "not kept" in Draft(places, "/w/a.toml").save({"feature": "x"})


@pytest.mark.parametrize("content", ["", "[]", "{", '{"workflow": 3}', '{"workflow": "/w/a.toml", "inputs": []}'])
def test_whatever_stands_in_the_file_nothing_breaks(places: Places, content: str) -> None:
    draft = Draft(places, "/w/a.toml")
    draft.save({"feature": "x"})
    (file,) = (places.state / "drafts").glob("*.json")
    file.write_text(content)
    assert draft.load() == {}
