from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tui.building import Building
from tui.__main__ import main


@dataclass(frozen=True, kw_only=True, slots=True)
class Ran:
    """What a command came to."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its one document."""
        return json.loads(self.out)


Midwatch = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `MIDWATCH_HOME` of the test's own, an empty folder to stand in, and a terminal of 80 columns in UTF-8."""
    for name in ("MIDWATCH_ATTEMPT", "LC_ALL", "LC_CTYPE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MIDWATCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return tmp_path / "home"


@pytest.fixture
def building(home: Path) -> Iterator[Building]:
    """A record to write into as the watch would."""
    made = Building.at(home)
    yield made
    made.connection.close()


@pytest.fixture
def midwatch(home: Path, capsys: pytest.CaptureFixture[str]) -> Midwatch:
    """Runs a command in this process."""

    def call(*words: str) -> Ran:
        status = main(words)
        said = capsys.readouterr()
        return Ran(status=int(status), out=said.out, err=said.err)

    return call
