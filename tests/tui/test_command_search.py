from __future__ import annotations

import json

from store.model import Outcome
from tests.tui.building import Building
from tests.tui.conftest import Midwatch
from tests.tui.scenes import claude_lines
from tui.search import MOST_OF_ONE


def printed(building: Building, run: str, agent: str, content: bytes, part: str = "out") -> None:
    path = building.places.journal(run, agent, 1, "err" if part == "err" else "out")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_lines_are_found_whatever_the_case_newest_run_first(midwatch: Midwatch, building: Building) -> None:
    old, new = building.finished(), building.finished()
    printed(building, old, "tests", b"one\nPermission Denied here\n")
    printed(building, new, "tests", b"permission denied there\n")
    found = midwatch("search", "PERMISSION denied", "--json").json
    assert [(one["run"], one["line"], one["text"]) for one in found] == [
        (new, 1, "permission denied there"),
        (old, 2, "Permission Denied here"),
    ]
    assert f"{old[:8]} tests:2" in midwatch("search", "permission denied").out


def test_what_a_cli_writes_as_json_is_found_as_a_person_reads_it(midwatch: Midwatch, building: Building) -> None:
    run = building.finished()
    journal = claude_lines('He said "größer" & went.', ("Bash", "git diff"))
    printed(building, run, "api", json.dumps(json.loads(journal.splitlines()[0])).encode() + b"\n" + journal)
    assert midwatch("search", 'said "größer" &', "--json").json[0]["text"] == 'He said "größer" & went.'
    assert midwatch("search", "> Bash git diff", "--json").json[0]["agent"] == "api"
    assert midwatch("search", '"type"').err == "these words stand in no output that is kept\n"


def test_standard_error_is_looked_through_too(midwatch: Midwatch, building: Building) -> None:
    run = building.finished()
    printed(building, run, "tests", b"fine\n")
    printed(building, run, "tests", b"Traceback: no such module\n", "err")
    assert midwatch("search", "no such module", "--json").json[0]["text"] == "Traceback: no such module"


def test_nothing_in_an_output_steers_the_terminal(midwatch: Midwatch, building: Building) -> None:
    printed(building, building.finished(), "tests", b"\x1b]0;title\x07needle \x1b[2J\n")
    assert "\x1b" not in midwatch("search", "needle").out


def test_one_output_gives_so_many_lines_and_the_limit_is_said(midwatch: Midwatch, building: Building) -> None:
    printed(building, building.finished(), "tests", b"needle\n" * (MOST_OF_ONE + 5))
    assert len(midwatch("search", "needle", "--json").json) == MOST_OF_ONE
    ran = midwatch("search", "needle", "--limit", "3")
    assert len(ran.out.splitlines()) == 3
    assert "the first 3" in ran.err


def test_only_the_runs_asked_for_are_looked_into(midwatch: Midwatch, building: Building) -> None:
    ship, docs = building.finished(), building.finished(Outcome.BLOCKED, "/flows/docs.toml")
    for run in (ship, docs):
        printed(building, run, "tests", b"needle\n")
    assert [one["run"] for one in midwatch("search", "needle", "--workflow", "docs", "--json").json] == [docs]
    assert midwatch("search", "needle", "--since", "2999-01-01", "--json").json == []


def test_an_empty_record_and_empty_words_find_nothing(midwatch: Midwatch, building: Building) -> None:
    printed(building, building.finished(), "tests", b"a\n")
    assert midwatch("search", " ", "--json").json == []
    building.connection.close()
    building.places.record.unlink()
    assert midwatch("search", "a", "--json").json == []
