"""A disk that is really full: nothing is half written, and recording goes on when there is room again."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from story import launched, way_to

from store import events as e
from store.audit import audit_run, run_ids
from store.database import open_reader, open_writer, unavailable
from store.errors import RecordUnavailable
from store.migrations import migrate
from store.model import State
from store.record import Batch, record


def _can_mount() -> bool:
    """Whether this process may mount a file system of its own: root may, in most containers root may not."""
    probe = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"]
    try:
        return os.geteuid() == 0 and subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not _can_mount(), reason="only root can mount the small disk that is to be filled")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, *, leave: int) -> Path:
    """A file that takes all the room but `leave` bytes."""
    filler = folder / "filler"
    found = os.statvfs(folder)
    filler.write_bytes(b"\0" * (found.f_bavail * found.f_frsize - leave))
    return filler


@pytest.mark.parametrize("leave", [0, 4_096, 40_000, 150_000])
def test_what_does_not_fit_is_not_written(small_disk: Path, leave: int) -> None:
    path = small_disk / "record.db"
    with closing(open_writer(path)) as writer:
        migrate(writer, path, machine="this-machine")
        record(writer, [Batch(events=(launched("first"), *way_to(State.RUNNING, "first", "api")))])
        filler = fill(small_disk, leave=leave)
        written, failed = 0, None
        while failed is None:
            batch = Batch(events=(launched(f"r{written}"), *way_to(State.DONE, f"r{written}", "api")))
            try:
                record(writer, [batch])
                written += 1
            except sqlite3.OperationalError as error:
                failed = error
        assert "no space left" in str(unavailable(path, failed))
        with closing(open_reader(path)) as reader:
            assert run_ids(reader) == ["first", *(f"r{number}" for number in range(written))]
            assert [audit_run(reader, run) for run in run_ids(reader)] == [[]] * (written + 1)
            counts = reader.execute("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM outbox)").fetchone()
            assert counts == (3 + 5 * written, 3 + 5 * written)
        with pytest.raises(sqlite3.OperationalError):
            record(writer, [batch])
        filler.unlink()
        (recorded, again) = record(writer, [batch, Batch(events=(e.RunPaused(run="first"),))])
        assert (len(recorded.applied), len(again.applied)) == (5, 1)
    with closing(open_writer(path)) as writer:
        assert writer.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert [audit_run(writer, run) for run in run_ids(writer)] == [[]] * (written + 2)


def test_a_disk_that_was_full_before_there_was_a_record(small_disk: Path) -> None:
    fill(small_disk, leave=0)
    path = small_disk / "record.db"
    with pytest.raises(RecordUnavailable, match="no space left"), closing(open_writer(path)) as writer:
        migrate(writer, path, machine="this-machine")
