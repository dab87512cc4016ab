from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.agents import adapter
from harness.agents.base import Reader
from tests.tui.scenes import claude_lines
from tui.line_file import LONGEST
from tui.tail import Tail
from tui.transcript import LONGEST_REPORT, Transcript

RECORDINGS = Path(__file__).parents[1] / "harness" / "recordings"
PRINTED = sorted(path for path in (RECORDINGS / "claude").glob("*.jsonl") if ".requests" not in path.name)
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


def claude() -> Reader | None:
    return adapter("claude").reader()


def read_all(transcript: Transcript, *, finish: bool = True) -> list[tuple[str, str]]:
    while transcript.grow():
        pass
    if finish:
        transcript.finish()
    return [transcript.line(number) for number in range(transcript.count)]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Transcript]]:
    opened = []

    def made(out: bytes | None, err: bytes = b"", *, reader: Callable[[], Reader | None] = lambda: None) -> Transcript:
        if out is not None:
            (tmp_path / "a.1.out").write_bytes(out)
        (tmp_path / "a.1.err").write_bytes(err)
        opened.append(Transcript(tmp_path / "a.1.out", tmp_path / "a.1.err", reader=reader))
        return opened[-1]

    yield made
    for transcript in opened:
        transcript.close()


def test_a_json_journal_is_shown_as_what_the_agent_said_and_did(make: Callable[..., Transcript]) -> None:
    journal = claude_lines("First I look.\nThen I say.", ("Bash", "git diff"), "Done.")
    assert read_all(make(journal, reader=claude)) == [
        ("First I look.", ""),
        ("Then I say.", ""),
        ("> Bash git diff", "cyan"),
        ("Done.", ""),
    ]


def test_a_misspelt_report_is_shown_as_it_is_with_what_is_wrong(make: Callable[..., Transcript]) -> None:
    journal = b'plain\n{"report":"blocked"}\n'
    assert read_all(make(journal, reader=lambda: adapter("command").reader(reports=True))) == [
        ("plain", "dim"),
        ("! blocked: said blocked without a reason", "red"),
        ('{"report":"blocked"}', "dim"),
        ("! not understood: blocked needs reason", "red"),
    ]


def test_the_answer_is_not_shown_twice(make: Callable[..., Transcript]) -> None:
    result = b'{"type":"result","subtype":"success","is_error":false,"result":"Done."}\n'
    assert [text for text, _ in read_all(make(claude_lines("Done.") + result, reader=claude))] == ["Done."]


def test_a_failure_of_the_cli_is_shown_as_one(make: Callable[..., Transcript]) -> None:
    result = b'{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}\n'
    assert read_all(make(result, reader=claude))[-1] == ("! ended with an error: it broke", "red")


@pytest.mark.parametrize("recording", PRINTED, ids=lambda path: path.stem)
def test_no_recording_of_a_real_agent_has_a_control_left_in_it(recording: Path, tmp_path: Path) -> None:
    transcript = Transcript(recording, tmp_path / "none", reader=claude)
    lines = read_all(transcript)
    transcript.close()
    assert lines
    assert not any(CONTROLS.search(text) for text, _ in lines)


def test_plain_output_is_shown_line_for_line_and_harmless(make: Callable[..., Transcript]) -> None:
    lines = read_all(make(b"\x1b[31mred\x1b[0m\n\x1b]52;c;cm0gLXJm\x07next\nlast"))
    assert lines == [("red", ""), ("next", ""), ("last", "")]


def test_lines_come_as_the_journal_grows(make: Callable[..., Transcript], tmp_path: Path) -> None:
    transcript = make(None)
    assert not transcript.grow()
    (tmp_path / "a.1.out").write_bytes(b"one\ntw")
    assert read_all(transcript, finish=False) == [("one", ""), ("tw", "")]
    with (tmp_path / "a.1.out").open("ab") as journal:
        journal.write(b"o\nthree\n")
    assert read_all(transcript, finish=False) == [("one", ""), ("two", ""), ("three", "")]


def test_half_a_line_of_json_is_waited_for(make: Callable[..., Transcript], tmp_path: Path) -> None:
    whole = claude_lines("Done.")
    transcript = make(whole[:-20], reader=claude)
    assert read_all(transcript, finish=False) == []
    with (tmp_path / "a.1.out").open("ab") as journal:
        journal.write(whole[-20:])
    assert read_all(transcript, finish=False) == [("Done.", "")]


def test_a_last_line_without_newline_is_read_when_nothing_more_comes(make: Callable[..., Transcript]) -> None:
    assert read_all(make(claude_lines("Done.")[:-1], reader=claude)) == [("Done.", "")]


def test_standard_error_is_shown_below_when_asked_for(make: Callable[..., Transcript]) -> None:
    transcript = make(b"out\n", b"went wrong\n")
    transcript.with_err = True
    assert read_all(transcript) == [("out", ""), ("standard error", "dim"), ("went wrong", "red")]


def test_empty_standard_error_takes_no_line(make: Callable[..., Transcript]) -> None:
    transcript = make(b"out\n")
    transcript.with_err = True
    assert read_all(transcript) == [("out", "")]


def test_a_line_of_a_hundred_megabytes_is_shown_cut_and_the_next_one_whole(
    make: Callable[..., Transcript], tmp_path: Path
) -> None:
    with (tmp_path / "a.1.out").open("wb") as journal:
        journal.truncate(100 << 20)
        journal.seek(0, 2)
        journal.write(b"\nnext\n")
    transcript = make(None)
    lines = read_all(transcript)
    assert lines[1] == ("next", "")
    assert len(lines[0][0]) < LONGEST * 2
    assert str(100 << 20) in lines[0][0]


def test_json_too_long_to_parse_is_said_and_the_next_line_read(make: Callable[..., Transcript]) -> None:
    lines = read_all(make(b'{"x":"' + b"y" * LONGEST_REPORT + b'"}\n' + claude_lines("Done."), reader=claude))
    assert "not shown" in lines[0][0]
    assert lines[1] == ("Done.", "")


@pytest.mark.parametrize(
    ("start", "backwards", "expected"), [(0, False, 1), (2, False, 3), (4, True, 3), (2, True, 1), (0, True, None)]
)
def test_a_search_goes_through_output_and_standard_error(
    make: Callable[..., Transcript], start: int, backwards: bool, expected: int | None
) -> None:
    transcript = make(b"one\nNeedle\n", b"needle\nx\n")
    transcript.with_err = True
    read_all(transcript)
    assert transcript.find("needle", start, backwards=backwards) == expected


def test_a_tail_tells_of_what_is_appended_and_lets_the_files_go_when_stopped(tmp_path: Path) -> None:
    import threading

    told = threading.Event()
    transcript = Transcript(tmp_path / "out", tmp_path / "err", reader=lambda: None)
    tail = Tail(transcript, lambda _: told.set(), ended=False)
    (tmp_path / "out").write_bytes(b"one\n")
    assert told.wait(10)
    assert transcript.line(0) == ("one", "")
    tail.ended = True
    assert tail.settled.wait(10)
    tail.stop()
    tail._thread.join(10)
    assert not tail._thread.is_alive()
    assert transcript.count == 0
