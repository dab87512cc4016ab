from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import Midwatch


def test_the_project_around_a_path_is_trusted(midwatch: Midwatch) -> None:
    inner = Path.cwd() / "project" / "src"
    inner.mkdir(parents=True)
    (inner.parent / ".git").mkdir()
    assert midwatch("trust", str(inner), "--json").json == {"project": str(inner.parent)}
    assert midwatch("trust", "project").status == 0


@pytest.mark.parametrize("path", ["nothing", "/"])
def test_what_is_no_project_is_not_found(midwatch: Midwatch, home: Path, path: str) -> None:
    ran = midwatch("trust", path)
    assert (ran.status, ran.out) == (6, "")
    assert not home.exists()
