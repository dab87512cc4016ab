"""Attempts from launch to gone, with real processes."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.identity import identity_of
from harness.journal import KEPT, CutLine
from harness.processes import Vitals
from harness.supervisor import Exit
from tests.harness.supervising import Told, Watching, alive, pids_in

SEES = """
import json, os, resource
print(json.dumps({
    'fds': sorted(int(one) for one in os.listdir('/proc/self/fd'))[:-1],
    'env': dict(os.environ), 'cwd': os.getcwd(), 'umask': os.umask(0),
    'limits': [resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE)],
    'leads': [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
}))
"""


def run(test: Any) -> Any:
    return asyncio.run(test)


def test_an_agent_gets_exactly_what_was_ordered_for_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            (tmp_path / "here").mkdir()
            env = {"PATH": os.environ["PATH"], "NAME": "übung", "EMPTY": ""}
            told = watch.launch(
                sys.executable,
                "-I",
                "-c",
                SEES,
                env=env,
                cwd=str(tmp_path / "here"),
                umask=0o027,
                limits=((resource.RLIMIT_NOFILE, 77, 88), (resource.RLIMIT_FSIZE, 1 << 30, 1 << 30)),
            )
            await told.until_gone()
        seen = json.loads(told.said[0])
        assert seen["env"].pop("LC_CTYPE", "C.UTF-8") == "C.UTF-8"  # Python's own doing
        assert seen == {
            "fds": [0, 1, 2],
            "env": env,
            "cwd": str(tmp_path / "here"),
            "umask": 0o027,
            "limits": [[77, 88], [1 << 30, 1 << 30]],
            "leads": [True, True],
        }

    run(test())


def test_an_agent_ignores_and_blocks_no_signal(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.launch("grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status")
            await told.until_gone()
        assert [line.split() for line in told.said] == [[name, b"0" * 16] for name in (b"SigBlk:", b"SigIgn:")]

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as for a watch that was started by nohup
    try:
        run(test())
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_agent_has_the_limit_of_open_files_from_before_the_watch_raised_its_own(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[1]), before[1]))

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("ulimit -Sn")
            await told.until_gone()
            assert told.said == [b"256"]
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]

    try:
        run(test())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


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
        assert not list(tmp_path.glob("*.part"))

    run(test())


def test_an_exit_by_a_signal_is_told_as_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            ended = await watch.shell("kill -9 $$").until_gone()
        assert (ended.code, ended.signal, ended.asked) == (None, signal.SIGKILL, None)

    run(test())


def test_started_names_the_very_process(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("echo $$; exec sleep 100")
            identity = await told.until_started()
            await told.until_said(b"%d" % identity.pid)
            assert identity_of(identity.pid) == identity == told.kept.identity
            await told.kept.end(0.2)

    run(test())


def test_plain_output_is_kept_and_not_read_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("echo one; echo two >&2", lines=False)
            await told.until_gone()
            assert told.said == []
            assert told.output_bytes == (4, 4)
            assert told.kept.order.out.read_bytes() == b"one\n"

    run(test())


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

    run(test())


def test_lines_of_a_flood_come_whole_and_in_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("seq 400000 & seq 100000 >&2; wait")
            ended = await told.until_gone()
        assert told.said == [b"%d" % number for number in range(1, 400_001)]
        assert ended.err_bytes == len("".join(f"{number}\n" for number in range(1, 100_001)))

    run(test())


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

    run(test())


def test_a_background_child_that_holds_standard_output_is_ended_and_counted(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("sleep 1000 & echo $!; exit 4")
            ended = await told.until_gone()
        assert (ended.code, ended.leftovers) == (4, 1)
        assert identity_of(int(told.said[0])) is None

    run(test())


@pytest.mark.parametrize("left", ["session", "orphan", "bare"])
def test_what_outlives_its_agent_is_ended_however_it_hides(tmp_path: Path, left: str) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("deaf", left, "quiet", "exit:0")
            ended = await told.until_gone()
            assert (ended.code, ended.leftovers, ended.asked) == (0, 2, None)
            assert len(pids := pids_in(told.said)) == 2
            assert [identity_of(pid) for pid in pids] == [None, None]

    run(test())


@pytest.mark.parametrize("deaf", [False, True])
def test_end_ends_the_whole_tree(tmp_path: Path, deaf: bool) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree(*(["deaf"] if deaf else []), "plain", "session", "orphan", "bare", "quiet")
            tree = await told.until_tree(6)
            await told.kept.end(0.5)
            assert alive(tree) == []
            ended = told.exit
            assert ended is not None
            assert ended.signal == (signal.SIGKILL if deaf else signal.SIGINT)
            assert (ended.leftovers, ended.asked) == (0, None)

    run(test())


def test_terminate_reaches_what_left_the_session(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("plain", "bare")
            tree = await told.until_tree(3)
            told.kept.terminate()
            ended = await told.until_gone()
            assert (ended.signal, alive(tree)) == (signal.SIGTERM, [])

    run(test())


def test_an_end_that_comes_while_the_agent_starts_holds(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("trap '' INT TERM; sleep 1000; echo late")
            told.kept.kill()
            ended = await told.until_gone()
            assert (ended.signal, told.said) == (signal.SIGKILL, [])
            await told.kept.end()

    run(test())


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

    run(test())


def test_a_journal_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            (tmp_path / "1.out").write_text("of an attempt before")
            told = watch.shell("echo new")
            assert "launched once" in await told.until_refused()
        assert (tmp_path / "1.out").read_text() == "of an attempt before"

    run(test())


def test_a_killed_keeper_takes_its_whole_tree_along(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            other = watch.tree("session")
            bystander = await other.until_tree(2)
            told = watch.tree("deaf", "plain", "session", "bare", "quiet")
            tree = await told.until_tree(5)
            assert told.kept.keeper is not None
            os.kill(told.kept.keeper.pid, signal.SIGKILL)
            ended = await told.until_gone()
            assert (ended.lost_keeper, ended.code, ended.signal, ended.beyond_reach) == (True, None, None, 0)
            assert ended.leftovers > 0
            assert alive(tree) == []
            assert alive(bystander) == bystander
            assert other.exit is None
            assert ended.out_bytes == told.kept.order.out.stat().st_size
            await other.kept.end(0.2)

    run(test())


def test_a_keeper_that_is_stuck_does_not_keep_an_end_from_coming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.kept.KILL_PATIENCE_S", 0.2)

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.tree("deaf", "session")
            tree = await told.until_tree(2)
            assert told.kept.keeper is not None
            os.kill(told.kept.keeper.pid, signal.SIGSTOP)
            await told.kept.end(0.2)
            assert told.exit is not None
            assert told.exit.lost_keeper
            assert alive(tree) == []

    run(test())


def test_a_killed_zygote_is_started_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            first = watch.shell("echo one; exec sleep 1000")
            await first.until_said(b"one")
            zygote = zygote_of(first)
            os.kill(zygote, signal.SIGKILL)
            second = watch.shell("echo two")
            await second.until(lambda: second.exit or second.refusal, "an end")
            third = watch.shell("echo three")
            assert (await third.until_gone()).code == 0
            assert third.said == [b"three"]
            await first.kept.end(0.2)
            assert first.exit is not None
            assert first.exit.signal == signal.SIGINT

    run(test())


def zygote_of(told: Told) -> int:
    assert told.kept.keeper is not None
    return int(Path(f"/proc/{told.kept.keeper.pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_a_look_sees_each_tree_without_its_keeper(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            tree = watch.tree("session", "bare")
            busy = watch.shell("while :; do :; done")
            pids = {one.pid for one in await tree.until_tree(3)}
            await busy.until_started()
            marks = (tree.kept.order.mark, busy.kept.order.mark)
            first = watch.supervisor.look()
            assert set(first) == set(marks)
            assert set(first[marks[0]].pids) == pids
            assert first[marks[0]].processes == 3
            assert first[marks[0]].rss_bytes > 1 << 20

            def works() -> Vitals | None:
                vitals = watch.supervisor.look()[marks[1]]
                return vitals if vitals.cpu_percent > 1 else None

            await busy.until(works, "a look at work")
            await tree.kept.end(0.2)
            await busy.kept.end(0.2)
            assert watch.supervisor.look() == {}

    run(test())


def test_fifty_attempts_leave_no_descriptor_and_no_process(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            await watch.shell("true").until_gone()
            before = open_descriptors()
            for _ in range(5):
                ordinary = [watch.shell("echo x; exit 1") for _ in range(8)]
                refused = [watch.launch("no-such-program"), watch.shell("true", cwd="/nowhere")]
                for one in ordinary:
                    await one.until_gone()
                for one in refused:
                    await one.until_refused()
            killed = watch.shell("sleep 1000")
            await killed.until_started()
            assert killed.kept.keeper is not None
            os.kill(killed.kept.keeper.pid, signal.SIGKILL)
            await killed.until_gone()
            assert open_descriptors() == before
        assert children() == []

    run(test())


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def children() -> list[str]:
    return [
        one.name
        for one in Path("/proc").iterdir()
        if one.name.isdigit()
        and (stat := _stat(one))
        and stat[1] == str(os.getpid())
        and "keeper" in (one / "cmdline").read_text()
    ]


def _stat(process: Path) -> list[str]:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
