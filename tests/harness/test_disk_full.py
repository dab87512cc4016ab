"""Journals on a disk that is full: the agent waits, nothing is lost, and it is told once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.identity import identity_of, is_alive
from tests.harness.small_watch_process import SmallWatch, small_watch
from tests.harness.supervising import until

SIZE, FILLER = 1 << 20, 900_000
CONTENT = b"".join(b"%d\n" % number for number in range(1, 60_001))
assert SIZE - FILLER < len(CONTENT) < SIZE
ON_A_SMALL_DISK = f"""
mount -t tmpfs -o size={SIZE} small "$1" && head -c {FILLER} /dev/zero > "$1/filler" || exit 1
folder=$1; shift
"$@"
echo summed $(cksum < "$folder/1.out")
exec sleep 100
"""


def own_mounts() -> Sequence[str]:
    """A command that runs another where it may mount; skips the test where nobody may."""
    for words in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        if shutil.which("unshare") and subprocess.run([*words, "true"], stderr=subprocess.DEVNULL).returncode == 0:
            return words
    pytest.skip("this system lets no small disk be mounted")


def sum_of(content: bytes) -> str:
    return subprocess.run(["cksum"], input=content, stdout=subprocess.PIPE, check=True).stdout.decode().strip()


def inside(watch: SmallWatch, folder: Path) -> Path:
    """The small disk as its own processes see it."""
    return Path(f"/proc/{watch.process.pid}/root{folder}")


@pytest.mark.parametrize("mode", ["stop", "stop,plain"])
def test_an_agent_waits_for_room_and_loses_nothing(tmp_path: Path, mode: str) -> None:
    within = [*own_mounts(), "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path)]
    with small_watch(tmp_path, mode, "sh", "-c", "seq 60000; seq 3 >&2", within=within) as watch:
        watch.until_says(b"full")
        (inside(watch, tmp_path) / "filler").unlink()
        gone = watch.until_says(b"gone")
        assert b"code=0" in gone
        assert b"out_bytes=%d, err_bytes=6" % len(CONTENT) in gone
        assert watch.until_says(b"summed").decode() == f"summed {sum_of(CONTENT)}"
        assert watch.said.count(b"full") == 1
        if mode == "stop":
            assert [line for line in watch.said if line.isdigit()] == CONTENT.split(b"\n")[:-1]


def test_an_agent_on_a_full_disk_can_be_ended_and_what_it_had_printed_is_kept(tmp_path: Path) -> None:
    within = [*own_mounts(), "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path)]
    with small_watch(tmp_path, "stop,terminate=full", "sh", "-c", "seq 60000", within=within) as watch:
        agent = identity_of(int(watch.until_says(b"started").split()[1]))
        assert agent is not None
        watch.until_says(b"terminated")
        until(lambda: not is_alive(agent), "the agent's end")
        (inside(watch, tmp_path) / "filler").unlink()
        assert b"signal=15" in watch.until_says(b"gone")
        watch.until_says(b"summed")
        journal = (inside(watch, tmp_path) / "1.out").read_bytes()
        assert CONTENT.startswith(journal)
        assert len(journal) > SIZE - FILLER


def test_an_agent_left_to_finish_waits_for_room_too(tmp_path: Path) -> None:
    within = [*own_mounts(), "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path)]
    script = "echo here; while [ ! -e go ]; do sleep 0.02; done; seq 60000"
    with small_watch(tmp_path, "finish", "sh", "-c", script, within=within) as watch:
        disk = inside(watch, tmp_path)
        watch.until_says(b"here")
        os.kill(int(watch.until_says(b"watch").split()[1]), signal.SIGKILL)
        (disk / "go").touch()
        until(lambda: os.statvfs(disk).f_bavail == 0, "a full disk")
        (disk / "filler").unlink()
        until((disk / "1.exit").exists, "….exit")
        assert json.loads((disk / "1.exit").read_text())["exit_code"] == 0
        assert (disk / "1.out").read_bytes() == b"here\n" + CONTENT
