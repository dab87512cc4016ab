"""The manual page says what the program's own parsers say."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from man.make import PAGE, page


def test_the_page_is_the_one_that_the_parsers_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew with `python -m man.make`"


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_has_nothing_to_say_against_it() -> None:
    shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(PAGE)], capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    assert "take up one agent" in " ".join(shown.stdout.lower().split())
