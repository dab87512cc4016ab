"""Attempts from launch to gone, with real processes."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sys
from pathlib import Path

from harness.identity import identity_of
from harness.process_table import process_table
from harness.processes import Vitals
from tests.harness.supervising import Told, Watching, kill_zygote, until

SEES = """
import json, os, resource
print(json.dumps({
    'fds': sorted(int(one) for one in os.listdir('/proc/self/fd'))[:-1],
    'env': dict(os.environ), 'cwd': os.getcwd(), 'umask': os.umask(0),
    'limits': [resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_FSIZE)],
    'leads': [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
}))
"""


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

    asyncio.run(test())


def test_an_agent_ignores_and_blocks_no_signal(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.launch("grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status")
            await told.until_gone()
        assert [line.split() for line in told.said] == [[name, b"0" * 16] for name in (b"SigBlk:", b"SigIgn:")]

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as for a watch that was started by nohup
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    try:
        asyncio.run(test())
    finally:
        signal.signal(signal.SIGHUP, before)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])


def test_an_agent_has_the_limit_of_open_files_from_before_the_watch_raised_its_own(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[1]), before[1]))

    async def test() -> None:
        async with Watching(tmp_path) as watch:
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == before[1]
            first = watch.shell("ulimit -Sn; exec sleep 1000")
            await first.until_said(b"256")
            await kill_zygote(first)
            second = watch.shell("ulimit -Sn")
            await second.until_gone()
            assert second.said == [b"256"]
            await first.kept.end(0.2)

    try:
        asyncio.run(test())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_started_names_the_very_process(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            told = watch.shell("echo $$; exec sleep 100")
            identity = await told.until_started()
            await told.until_said(b"%d" % identity.pid)
            assert identity_of(identity.pid) == identity == told.kept.identity
            await told.kept.end(0.2)

    asyncio.run(test())


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
            assert {pid for pid, _ in first[marks[0]].tree} == pids
            assert first[marks[0]].processes == 3
            assert first[marks[0]].rss_bytes > 1 << 20

            def works() -> Vitals | None:
                vitals = watch.supervisor.look()[marks[1]]
                return vitals if vitals.cpu_percent > 1 else None

            await busy.until(works, "a look at work")
            await tree.kept.end(0.2)
            await busy.kept.end(0.2)
            assert watch.supervisor.look() == {}

    asyncio.run(test())


def test_a_large_environment_arrives_whole(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            env = {"PATH": os.environ["PATH"], **{f"V{number}": "x" * 100_000 for number in range(10)}}
            told = watch.shell("echo ${#V0} ${#V9}", env=env)
            await told.until_gone()
            assert told.said == [b"100000 100000"]

    asyncio.run(test())


def test_many_launched_at_once_all_run(tmp_path: Path) -> None:
    async def test() -> None:
        async with Watching(tmp_path) as watch:
            all_of_them = [watch.shell(f"echo {number}; exit {number}") for number in range(60)]
            for number, told in enumerate(all_of_them):
                assert ((await told.until_gone()).code, told.said) == (number, [b"%d" % number])

    asyncio.run(test())


def test_a_watch_that_leaves_hands_its_attempts_to_their_keepers(tmp_path: Path) -> None:
    async def test() -> tuple[Told, Told]:
        async with Watching(tmp_path) as watch:
            stopped = watch.shell("echo here; exec sleep 1000")
            finishing = watch.shell("echo here; while [ ! -e go ]; do sleep 0.02; done; echo done", finish=True)
            await stopped.until_said(b"here")
            await finishing.until_said(b"here")
        return stopped, finishing

    stopped, finishing = asyncio.run(test())
    until(stopped.kept.order.exit.exists, "the end of the one")
    assert json.loads(stopped.kept.order.exit.read_text())["asked"] == "watch gone"
    (tmp_path / "go").touch()
    until(finishing.kept.order.exit.exists, "the end of the other")
    assert json.loads(finishing.kept.order.exit.read_text())["exit_code"] == 0
    assert finishing.kept.order.out.read_bytes() == b"here\ndone\n"
    assert stopped.exit is None
    assert finishing.exit is None


def test_fifty_attempts_leave_no_descriptor_and_no_process(tmp_path: Path) -> None:
    async def test() -> None:
        before_all = children()
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
        assert children() == before_all

    asyncio.run(test())


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def children() -> list[int]:
    return [one.pid for one in process_table().values() if one.parent == os.getpid()]
