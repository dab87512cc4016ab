"""What a killed keeper leaves: processes that the zygote adopted."""

from __future__ import annotations

from pathlib import Path

from harness.identity import Identity, this_boot, this_namespace
from harness.process_table import process_table
from harness.processes import children_of, tree_below


def orphans_of(*, zygote: int | None, keeper: int | None) -> list[Identity]:
    """Living processes below the zygote that no keeper keeps, and those still below a keeper that is dying.

    A keeper is known by its command line, which it has from the zygote; a program that was run has its own.
    """
    below = children_of(process_table())
    roots = [] if keeper is None else list(below.get(keeper, ()))
    if zygote is not None:
        same = _command_line(zygote)
        roots += [one for one in below.get(zygote, ()) if one.state != "Z" and _command_line(one.pid) != same]
    found = [*roots, *(one for root in roots for one in tree_below(root.pid, below))]
    return [
        Identity(pid=one.pid, start_ticks=one.start_ticks, boot=this_boot(), namespace=this_namespace())
        for one in found
        if one.state not in "ZX"
    ]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
