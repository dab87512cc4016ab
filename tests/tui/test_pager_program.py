from __future__ import annotations

from pathlib import Path

import pytest

from tui.pager_program import page_journal, page_transcript
from tui.transcript import Transcript


@pytest.fixture
def paged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pager that writes what it is given, and how it was called, into this file."""
    seen = tmp_path / "seen"
    script = tmp_path / "my pager"
    script.write_text(f'#!/bin/sh\n{{ echo "$LESS"; cat; }} > "{seen}"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PAGER", f"'{script}'")
    return seen


def test_a_journal_reaches_the_pager_whole_and_harmless(paged: Path, tmp_path: Path) -> None:
    journal = tmp_path / "a.out"
    journal.write_bytes(b"\x1b[31mred\x1b[0m\n" + b"x" * 200_000 + b"\n\x1b]52;c;eA==\x07last")
    assert page_journal(journal) == ""
    lines = paged.read_text().splitlines()[1:]
    assert lines[0] == "red"
    assert lines[1] == "x" * 200_000
    assert lines[2] == "last"


def test_a_transcript_reaches_the_pager_and_is_let_go(paged: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"one\ntwo\n")
    transcript = Transcript(tmp_path / "out", tmp_path / "err", reader=lambda: None)
    assert page_transcript(transcript) == ""
    assert paged.read_text().splitlines()[1:] == ["one", "two"]
    assert transcript.count == 0


def test_less_does_not_leave_at_once_when_all_fits(
    paged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LESS", "-FRX")
    (tmp_path / "out").write_bytes(b"one\n")
    page_journal(tmp_path / "out")
    assert paged.read_text().splitlines()[0] == "-FRX -+F"


@pytest.mark.parametrize("pager", ["/nowhere/pager", "'unbalanced"])
def test_a_pager_that_does_not_start_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pager: str) -> None:
    monkeypatch.setenv("PAGER", pager)
    (tmp_path / "out").write_bytes(b"one\n")
    assert "does not start" in page_journal(tmp_path / "out")


def test_a_journal_that_is_not_there_is_a_sentence(paged: Path, tmp_path: Path) -> None:
    assert "cannot be read" in page_journal(tmp_path / "none")


def test_a_pager_that_leaves_early_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "sh -c 'head -1 > /dev/null'")
    (tmp_path / "out").write_bytes(b"line\n" * 1_000_000)
    assert page_journal(tmp_path / "out") == ""
