"""One look at all processes."""

from __future__ import annotations

import os
import subprocess
import sys

from harness.process_table import ProcessRow, process_table
from harness.processes import Processes, children_of, tree_below
from tests.harness.supervising import until

ODD_NAME = "import ctypes, signal; ctypes.CDLL(None).prctl(15, b') Z 1 (x'); print(flush=True); signal.pause()"


def row(pid: int, parent: int) -> ProcessRow:
    return ProcessRow(pid, parent, "S", 0, 0, 0, 0)


def test_a_tree_is_everything_below_and_nothing_else() -> None:
    table = {pid: row(pid, parent) for pid, parent in ((1, 0), (2, 1), (3, 1), (4, 2), (5, 4), (6, 3))}
    assert [one.pid for one in tree_below(2, children_of(table))] == [4, 5]
    assert [one.pid for one in tree_below(5, children_of(table))] == []


def test_the_table_has_this_process_as_it_is() -> None:
    mine = process_table()[os.getpid()]
    assert (mine.parent, mine.state) == (os.getppid(), "R")
    assert mine.rss_bytes > 1 << 20


def test_a_name_that_looks_like_a_stat_deceives_nobody() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", ODD_NAME], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n"
        found = process_table()[process.pid]
        process.kill()
    assert found.parent == os.getpid()
    assert found.state in "RS"


def test_work_of_children_that_have_ended_counts_and_zombies_do_not() -> None:
    script = "\"$0\" -I -S -c 'for n in range(3000000): pass'; \"$0\" -I -S -c 'for n in range(3000000): pass'"
    keeper = f"import subprocess, sys; subprocess.run(['sh', '-c', {script!r}, sys.executable]); input()"
    looks = Processes()
    with subprocess.Popen([sys.executable, "-c", keeper], stdin=subprocess.PIPE) as process:
        first = looks.look({"a": process.pid, "gone": 2**22 + 1})["a"]
        assert first.cpu_percent == 0
        used = 0.0

        def ended() -> bool:
            nonlocal used
            seen = looks.look({"a": process.pid})["a"]
            used += seen.cpu_percent
            return used > 0 and seen.processes == 0

        until(ended, "the end of the work")
        assert used > 1
        process.communicate(b"\n")
        assert looks.look({"a": process.pid}) == {}
