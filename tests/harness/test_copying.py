"""What agents print: every byte in the journals, lines as they come, and nobody in another's way."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from harness.copying import Copying
from harness.identity import identity_of
from harness.journal import KEPT, CutLine
from harness.keeper.pipe import Pipe
from harness.outputs import Outputs
from harness.supervisor import Exit
from tests.harness.supervising import Told, Watching


def test_every_byte_is_in_the_journals_and_the_exit_says_how_it_ended(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            (tmp_path / "asked").write_bytes(b"the prompt\n")
            script = r"cat; printf 'a\0b\377\303\n\033]0;title\007\nno newline'; echo broken >&2; exit 3"
            told = watch.shell(script, stdin=tmp_path / "asked")
            ended = await told.until_gone()
            order = told.kept.order
        content = b"the prompt\na\0b\xff\xc3\n\x1b]0;title\x07\nno newline"
        assert told.said == content.split(b"\n")
        assert (order.out.read_bytes(), order.err.read_bytes()) == (content, b"broken\n")
        assert (ended.out_bytes, ended.err_bytes) == told.output_bytes == (len(content), 7)
        assert (ended.code, ended.signal, ended.asked, ended.leftovers, ended.lost_keeper) == (3, None, None, 0, False)
        facts = json.loads(order.exit.read_text())
        assert Exit.of_file(facts, out_bytes=ended.out_bytes, err_bytes=ended.err_bytes) == ended
        assert facts["boot"] == identity_of(os.getpid()).boot  # type: ignore[union-attr]
        assert {one.stat().st_mode & 0o777 for one in (order.out, order.err, order.exit)} == {0o600}

    asyncio.run(test())
    assert not list(tmp_path.glob("*.part"))


def test_plain_output_is_kept_and_not_read_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("echo one; echo two >&2", lines=False)
            await told.until_gone()
            assert told.said == []
            assert told.output_bytes == (4, 4)
            assert told.kept.order.out.read_bytes() == b"one\n"

    asyncio.run(test())


def test_a_hundred_megabytes_in_one_line_and_nothing_lost(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo after")
            ended = await told.until_gone()
        line, after = told.said
        assert isinstance(line, CutLine)
        assert (line, line.length, after) == (b"x" * KEPT, 100_000_000, b"after")
        assert ended.out_bytes == told.kept.order.out.stat().st_size == 100_000_007
        told.kept.order.out.unlink()

    asyncio.run(test())


def test_lines_of_a_flood_come_whole_and_in_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("seq 400000 & seq 100000 >&2; wait")
            ended = await told.until_gone()
        assert told.said == [b"%d" % number for number in range(1, 400_001)]
        assert ended.err_bytes == len("".join(f"{number}\n" for number in range(1, 100_001)))

    asyncio.run(test())


@pytest.mark.parametrize("lines", [True, False])
def test_an_output_limit_is_told_once_and_nothing_more_is_taken(tmp_path: Path, lines: bool) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("yes", output_limit=100_000, lines=lines)
            await told.until(lambda: told.times_over_limit, "over the limit")
            await told.kept.end(0.4)
            assert told.times_over_limit == 1
            assert told.exit is not None
            assert 100_000 < told.exit.out_bytes < 4 << 20
            assert told.exit.out_bytes == told.kept.order.out.stat().st_size

    asyncio.run(test())


def test_a_flood_keeps_nobody_else_from_being_heard(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            floods = [watch.shell("yes", lines=lines) for lines in (True, False)]
            quiet = watch.shell("while read line; do echo $line; sleep 0.02; done", stdin=numbers(tmp_path))
            await quiet.until_gone()
            assert quiet.said == [b"%d" % number for number in range(20)]
            for one in floods:
                await one.kept.end(0.2)

    asyncio.run(test())


def numbers(folder: Path) -> Path:
    path = folder / "numbers"
    path.write_text("".join(f"{number}\n" for number in range(20)))
    return path


def test_a_sink_that_fails_harms_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Told):
        def lines(self, lines: list[bytes]) -> None:
            raise RuntimeError("a sink that fails")

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            script = "echo a; while [ ! -e go ]; do sleep 0.02; done; echo b"
            failing = watch.supervisor.launch(watch.order("sh", "-c", f"{script}; exec sleep 1000"), Failing())
            told = watch.shell(script)
            await told.until(lambda: "a sink that fails" in caplog.text, "the failure")
            (tmp_path / "go").touch()
            await told.until_gone()
            assert told.said == [b"a", b"b"]
            failing.kill()

    asyncio.run(test())


class CountingPipe(Pipe):
    """A pipe that counts how often it is moved from."""

    moves = 0

    def move(self) -> int:
        self.moves += 1
        return super().move()


def test_a_full_disk_is_told_once_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.copying.ROOM_AGAIN_S", 0.01)

    async def test() -> None:
        full = os.open("/dev/full", os.O_RDWR)
        roomy = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
        (reading, writing), (silent, never) = os.pipe(), os.pipe()
        for one in (reading, silent):
            os.set_blocking(one, False)
        out, err = CountingPipe(reading, full), Pipe(silent, roomy)
        told, outputs = Told(), Outputs()
        copying = Copying(out, err, sink=told, lines=True, output_limit=None, outputs=outputs)
        for number in (1, 2):
            out.journal, out.moves = full, 0
            os.write(writing, b"line %d\n" % number)
            await told.until(lambda: out.moves > 3, "some tries")
            assert (told.times_full, len(told.said)) == (number, number - 1)
            out.journal = roomy
            await told.until_said(b"line %d" % number)
        copying.stop()
        outputs.close()
        for one in (reading, writing, silent, never, full, roomy):
            os.close(one)

    asyncio.run(test())
    assert (tmp_path / "out").read_bytes() == b"line 1\nline 2\n"
