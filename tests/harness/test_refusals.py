"""Why an agent could not be started, from real attempts to start it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.harness.supervising import Watching


@pytest.mark.parametrize(
    ("argv", "changes", "sentence"),
    [
        (["no-such-program"], {}, "'no-such-program' is not on the launching terminal's PATH"),
        (["./no-such-program"], {}, "the program ./no-such-program does not exist"),
        (["./data"], {}, "data may not be executed by this user"),
        (["./script"], {}, "script is there, but what its first line names"),
        (["./nonsense"], {}, "nonsense is nothing this system can run"),
        (["./folder"], {}, "folder may not be executed"),
        (["sh"], {"env": {"PATH": "/nowhere"}}, "'sh' is not on the launching terminal's PATH"),
        (["sh"], {"cwd": "/nowhere/at/all"}, "its folder /nowhere/at/all does not exist any more"),
        (["sh", "-c", "x" * 3_000_000], {}, "longer than this system takes"),
        (["sh", "a\0b"], {}, "NUL byte"),
        (["sh"], {"env": {"A=B": "c"}}, "no name, or a name with '='"),
        ([], {}, "no program is named"),
        (["sh"], {"stdin": Path("/nowhere/prompt")}, "its files could not be opened: No such file"),
    ],
)
def test_what_cannot_be_started_is_refused_with_a_sentence(
    tmp_path: Path, argv: list[str], changes: dict[str, Any], sentence: str
) -> None:
    (tmp_path / "data").write_text("data")
    (tmp_path / "folder").mkdir()
    for name, content in (("script", "#!/no/such/interpreter\n"), ("nonsense", "\x7fnonsense")):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o755)

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.launch(*argv, **changes)
            assert sentence in await told.until_refused()
            await told.kept.end()
            assert told.identity is None
            assert not told.kept.order.exit.exists()

    asyncio.run(test())


def test_a_journal_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            (tmp_path / "1.out").write_text("of an attempt before")
            told = watch.shell("echo new")
            assert "launched once" in await told.until_refused()
        assert (tmp_path / "1.out").read_text() == "of an attempt before"

    asyncio.run(test())
