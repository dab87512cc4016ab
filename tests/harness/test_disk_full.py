"""Journals on a disk that is full: the agent waits, nothing is lost, and it is told once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

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
read hold
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


def test_an_agent_on_a_full_disk_can_be_ended(tmp_path: Path) -> None:
    within = [*own_mounts(), "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path)]
    with small_watch(tmp_path, "stop,terminate", "sh", "-c", "seq 60000; sleep 1000", within=within) as watch:
        watch.until_says(b"full")
        watch.until_says(b"terminated")
        until(lambda: not (inside(watch, tmp_path) / "1.exit").exists(), "no room for the exit yet")
        (inside(watch, tmp_path) / "filler").unlink()
        assert b"signal=15" in watch.until_says(b"gone")


def test_an_agent_left_to_finish_waits_for_room_too(tmp_path: Path) -> None:
    within = [*own_mounts(), "sh", "-c", ON_A_SMALL_DISK, "sh", str(tmp_path)]
    with small_watch(tmp_path, "finish", "sh", "-c", "echo here; sleep 1; seq 60000", within=within) as watch:
        ...
