"""Finding workflows by name and by path."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from harness.errors import WorkflowNotFound
from harness.workflow_search import Found, find_workflows, is_path, resolve
from store.paths import Places

GOOD = '[[waves]]\nname = "o"\n[[waves.agents]]\nname = "a"\nrole = "writer"\ncli = "command"\nrun = ["x"]\n'


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop" / ".midwatch").mkdir(parents=True)
    (tmp_path / "shop" / "src" / "api").mkdir(parents=True)
    return tmp_path / "shop"


def put(folder: Path, name: str, text: str = GOOD) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def shown(found: list[Found]) -> list[tuple[str, str]]:
    return [(one.name, one.origin.value) for one in found]


def test_nothing_anywhere(places: Places, tmp_path: Path) -> None:
    assert find_workflows(places, tmp_path) == []
    with pytest.raises(WorkflowNotFound, match=r"no workflow 'ship'; put it in .*home/workflows"):
        resolve(places, tmp_path, "ship")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("file", ["NFC", "NFD"])
@pytest.mark.parametrize("text", [GOOD, "[[wave]]\n"], ids=["good", "broken"])
def test_a_name_is_found_however_it_was_typed(
    places: Places, tmp_path: Path, form: Literal["NFC", "NFD"], file: Literal["NFC", "NFD"], text: str
) -> None:
    path = put(places.workflows, unicodedata.normalize(file, "prüfung.toml"), text)
    assert resolve(places, tmp_path, unicodedata.normalize(form, "prüfung")) == path.resolve()


def test_the_projects_and_the_persons(places: Places, project: Path) -> None:
    put(project / ".midwatch", "ship.toml")
    put(project / ".midwatch", "notes.md")
    put(project / ".midwatch", ".hidden.toml")
    put(project / ".midwatch" / "deeper", "no.toml")
    put(places.workflows, "audit.toml", 'name = "night"\ndescription = "at night"\n' + GOOD)

    found = find_workflows(places, project / "src" / "api")

    assert shown(found) == [("ship", "project"), ("night", "personal")]
    assert found[0].path == (project / ".midwatch" / "ship.toml").resolve()
    assert found[1].workflow is not None
    assert found[1].workflow.description == "at night"
    assert shown(find_workflows(places, project.parent)) == [("night", "personal")]


def test_a_broken_file_is_listed_with_what_is_wrong(places: Places, project: Path) -> None:
    path = put(project / ".midwatch", "ship.toml", "wvaes = 1\n")
    (project / ".midwatch" / "gone.toml").symlink_to(project / "nowhere")
    (project / ".midwatch" / "folder.toml").mkdir()

    found = find_workflows(places, project)

    assert shown(found) == [("folder", "project"), ("gone", "project"), ("ship", "project")]
    assert all(one.workflow is None and one.error is not None for one in found)
    assert found[2].error is not None
    assert (found[2].error.file, found[2].error.line) == (path, 1)
    assert resolve(places, project, "ship") == path.resolve()


def test_templates_are_looked_into_when_asked(places: Places, project: Path) -> None:
    put(project / ".midwatch", "ship.toml", GOOD + 'prompt = "{{ nobody }}"\n')
    assert find_workflows(places, project)[0].error is None
    assert find_workflows(places, project, prompts=True)[0].error is not None


def test_a_project_hides_a_name_of_the_persons(places: Places, project: Path) -> None:
    theirs = put(project / ".midwatch", "ship.toml")
    own = put(places.workflows, "ship.toml")

    assert len(find_workflows(places, project)) == 2
    assert resolve(places, project, "ship") == theirs.resolve()
    assert resolve(places, project.parent, "ship") == own.resolve()


def test_two_of_one_name_in_one_folder_are_not_guessed_between(places: Places, tmp_path: Path) -> None:
    put(places.workflows, "one.toml", 'name = "ship"\n' + GOOD)
    put(places.workflows, "ship.toml")
    with pytest.raises(
        WorkflowNotFound, match=r"2 workflows are named 'ship': .*one.toml and .*ship.toml; give a path"
    ):
        resolve(places, tmp_path, "ship")


def test_the_nearest_name_is_told(places: Places, project: Path) -> None:
    put(project / ".midwatch", "ship.toml")
    put(places.workflows, "nightly-audit.toml")
    with pytest.raises(WorkflowNotFound, match="no workflow 'shpi'; did you mean 'ship'"):
        resolve(places, project, "shpi")
    with pytest.raises(WorkflowNotFound, match="it can be 'nightly-audit' or 'ship'"):
        resolve(places, project, "zzz")


def test_a_path_is_from_here_and_resolved(places: Places, project: Path) -> None:
    path = put(project / "src", "x.toml")
    link = project / "src" / "link"
    link.symlink_to(path)

    assert resolve(places, project, "src/x.toml") == path.resolve()
    assert resolve(places, project / "src", "x.toml") == path.resolve()
    assert resolve(places, project / "src", "./link") == path.resolve()
    assert resolve(places, project, str(path)) == path.resolve()
    with pytest.raises(WorkflowNotFound, match=r"no file .*src/y.toml; did you mean 'x.toml'"):
        resolve(places, project, "src/y.toml")


@pytest.mark.parametrize(
    ("said", "path"), [("ship", False), ("ship.v2", False), ("ship.toml", True), ("./ship", True), ("/x", True)]
)
def test_what_is_a_path(said: str, path: bool) -> None:
    assert is_path(said) is path


def test_a_files_name_cannot_steer_a_terminal(places: Places, tmp_path: Path) -> None:
    put(places.workflows, "\x1b]0;owned\x07.toml", "x = 1\n")
    (found,) = find_workflows(places, tmp_path)
    assert str(found.error).isprintable()
