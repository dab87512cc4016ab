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


def test_the_work_of_what_has_ended_since_the_last_look_counts() -> None:
    work = '"$0" -I -S -c "for n in range(3000000): pass"'
    words = ["sh", "-c", f"read go; {work}; {work}; echo; read end", sys.executable]
    looks = Processes()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as one:
        assert one.stdin is not None
        assert one.stdout is not None
        first = looks.look({"a": one.pid, "gone": 2**22 + 1})
        assert {mark: (seen.cpu_percent, seen.tree) for mark, seen in first.items()} == {"a": (0, ())}
        one.stdin.write(b"\n")
        assert one.stdout.readline() == b"\n"
        second = looks.look({"a": one.pid})["a"]
        assert (second.processes, second.rss_bytes) == (0, 0)
        assert second.cpu_percent > 0
        one.stdin.write(b"\n")
    assert looks.look({"a": one.pid}) == {}


def test_a_zombie_is_no_process_of_a_tree() -> None:
    script = "import subprocess, sys; one = subprocess.Popen(['true']); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        until(lambda: [row.state for row in process_table().values() if row.parent == one.pid] == ["Z"], "a zombie")
        assert Processes().look({"a": one.pid})["a"].processes == 0
        one.communicate(b"\n")
