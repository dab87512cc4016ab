"""What a keeper weighs is what it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
HEAVY = {"asyncio", "collections", "enum", "functools", "json", "pathlib", "re", "signal", "socket", "typing"}
SCRIPT = "import sys; sys.path.append(sys.argv[1]); import harness.keeper.zygote; print(*sys.modules)"


def test_a_keeper_imports_next_to_nothing() -> None:
    words = [sys.executable, "-I", "-S", "-c", SCRIPT, str(ROOT)]
    imported = set(subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout.split())
    assert not imported & HEAVY
    assert {name for name in imported if name.startswith(("harness", "store", "tui"))} == {
        "harness",
        "harness.keeper",
        *(f"harness.keeper.{one.stem}" for one in (ROOT / "harness/keeper").glob("[!_]*.py")),
    }
