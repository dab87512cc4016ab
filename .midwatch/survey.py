"""What the `survey` workflow's agents run: small, honest looks at the project they stand in. Standard library only."""

from __future__ import annotations

import collections
import json
import subprocess
import sys
import time
from pathlib import Path


def tracked() -> list[Path]:
    """The files git knows, or every file when this is no repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [Path(name) for name in listed.stdout.split("\0") if name and Path(name).is_file()]
    return [path for path in Path().rglob("*") if path.is_file() and ".venv" not in path.parts]


def sizes() -> int:
    """Lines per kind of file."""
    lines: collections.Counter[str] = collections.Counter()
    for path in tracked():
        with path.open("rb") as file:
            count = sum(1 for _ in file)
        lines[path.suffix or path.name] += count
        print(f"{count:7} {path}", flush=True)
        time.sleep(0.02)
    print()
    for suffix, count in lines.most_common(12):
        print(f"{count:7} lines of {suffix}")
    return 0


def history() -> int:
    """Who worked on it, and on what most."""
    log = subprocess.run(
        ["git", "log", "-n", "200", "--format=%an", "--name-only"], capture_output=True, text=True, check=False
    )
    if log.returncode != 0:
        print(log.stderr.strip() or "git log failed", file=sys.stderr)
        return 1
    changed = collections.Counter(line for line in log.stdout.splitlines() if "/" in line or "." in line)
    print("changed most often in the last 200 commits:")
    for name, times in changed.most_common(10):
        print(f"{times:5} {name}", flush=True)
        time.sleep(0.2)
    return 0


def syntax() -> int:
    """Whether every Python file can be read; a rejection when one cannot."""
    broken = 0
    for path in tracked():
        if path.suffix != ".py":
            continue
        try:
            compile(path.read_bytes(), str(path), "exec")
        except SyntaxError as error:
            broken += 1
            print(f"{path}:{error.lineno}: {error.msg}")
    print(f"{broken} broken" if broken else "every Python file can be read")
    return 1 if broken else 0


def summary() -> int:
    """Repeats what it was handed, as report lines: how any script becomes a full agent."""

    def report(kind: str, **facts: object) -> None:
        print(json.dumps({"report": kind, **facts}), flush=True)

    report("session", id=f"summary-{int(time.time())}")
    handed = sys.stdin.read()
    report("turn")
    report("usage", id="all", input=0, output=0, cache_read=0, cache_write=0, cost_usd=0)  # a script spends nothing
    report("tool", name="read", detail=f"{len(handed.splitlines())} lines of hand-over")
    report("text", text=f"# Survey\n\n{handed.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit({"sizes": sizes, "history": history, "syntax": syntax, "summary": summary}[sys.argv[1]]())
