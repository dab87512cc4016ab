from __future__ import annotations

from pathlib import Path

from store.model import Outcome
from tests.tui.building import Building
from tests.tui.conftest import Midwatch

WORKFLOW = """
description = "%s"
[[waves]]
name = "w"
[[waves.agents]]
name = "a"
role = "writer"
cli = "command"
run = ["true"]
"""


def _write(path: Path, description: str = "does it") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WORKFLOW % description)
    return path


def test_without_workflows_it_says_where_to_put_one(midwatch: Midwatch, home: Path) -> None:
    ran = midwatch("list")
    assert (ran.status, ran.out) == (0, "")
    assert str(home / "workflows") in ran.err
    assert midwatch("list", "--json").json == []


def test_each_workflow_has_its_last_status(midwatch: Midwatch, home: Path, building: Building) -> None:
    ship, docs, new = (_write(home / "workflows" / f"{name}.toml") for name in ("ship", "docs", "new"))
    building.finished(Outcome.COMPLETED, str(ship))
    newest_live = building.launch(str(ship))
    building.finished(Outcome.COMPLETED, str(ship))
    ended = building.finished(Outcome.NOT_ACCEPTED, str(docs))
    shown = {one["workflow"]: one for one in midwatch("list", "--json").json}
    keys = ("path", "status", "live_runs", "last_run", "outcome")
    assert [shown["ship"][key] for key in keys] == [str(ship), "live", 1, newest_live, None]
    assert [shown["docs"][key] for key in keys] == [str(docs), "finished", 0, ended, "not accepted"]
    assert [shown["new"][key] for key in keys] == [str(new), "never run", 0, None, None]
    lines = midwatch("list").out.splitlines()
    assert any(line.startswith("✗  docs") and "not accepted" in line for line in lines)
    assert any(line.startswith("◦  new") and "never run" in line for line in lines)
    assert any(line.startswith("?  ship") and "unsettled" in line for line in lines)


def test_a_project_is_listed_before_it_is_trusted_and_says_so(midwatch: Midwatch) -> None:
    _write(Path.cwd() / ".midwatch" / "ship.toml", "evil \\u001b[2Jdescription")
    (shown,) = midwatch("list", "--json").json
    assert (shown["origin"], shown["trusted"]) == ("project", False)
    out = midwatch("list").out
    assert "not trusted" in out
    assert "\x1b" not in out
    assert midwatch("trust").status == 0
    assert midwatch("list", "--json").json[0]["trusted"]
    assert "not trusted" not in midwatch("list").out


def test_a_broken_file_is_listed_with_what_is_wrong(midwatch: Midwatch, home: Path) -> None:
    path = home / "workflows" / "broken.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[[waves]]\nnam = 'x'\n")
    ran = midwatch("list")
    assert ran.status == 0
    assert "not valid" in ran.out
    assert f"{path}:2" in ran.err
    assert str(path) in midwatch("list", "--json").json[0]["error"]


def test_what_ran_elsewhere_comes_last_while_its_file_exists(
    midwatch: Midwatch, home: Path, building: Building, tmp_path: Path
) -> None:
    _write(home / "workflows" / "zoo.toml")
    elsewhere = _write(tmp_path / "other" / ".midwatch" / "away.toml")
    building.finished(Outcome.COMPLETED, str(elsewhere))
    building.finished(Outcome.COMPLETED, "/gone/lost.toml")
    assert [(one["workflow"], one["origin"]) for one in midwatch("list", "--json").json] == [
        ("zoo", "personal"),
        ("away", "elsewhere"),
    ]
