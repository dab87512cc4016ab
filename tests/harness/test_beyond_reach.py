"""Processes that are not ours to end: told, and not waited for for ever."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from harness.identity import identity_of
from tests.harness.small_watch_process import small_watch

WITHOUT_KILL = ("setpriv", "--bounding-set", "-kill")
ANOTHER_OWNERS = """
setpriv --reuid=65534 --clear-groups sh -c 'echo there $$; exec sleep 1000' &
while [ ! -e go ]; do sleep 0.02; done
"""


def test_what_belongs_to_another_owner_is_told_and_not_waited_for(tmp_path: Path) -> None:
    if os.geteuid() or not shutil.which("setpriv") or subprocess.run([*WITHOUT_KILL, "true"]).returncode:
        pytest.skip("only root can start a process of another owner")
    with small_watch(tmp_path, "stop", "sh", "-c", ANOTHER_OWNERS, within=WITHOUT_KILL) as watch:
        pid = int(watch.until_says(b"there").split()[1])
        (tmp_path / "go").touch()
        gone = watch.until_says(b"gone")
        assert b"code=0" in gone
        assert b"beyond_reach=1" in gone
        stranger = identity_of(pid)
        assert stranger is not None
        os.kill(pid, signal.SIGKILL)
