"""Rendering a template in a process of its own, which the system ends when its computing time or memory is used up.

`python -m harness.render_apart` reads a task as JSON and answers with JSON; nothing else is said between the two.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.rendering import Output, Oversize, PriorAgent, Task, render_here
from harness.template import TemplateFault

COMPUTING_SECONDS = 5
MEMORY = 512 << 20
_WAIT_SECONDS = 120.0  # on the clock; reached only where a process hardly gets to compute at all
_TOO_MUCH = f"computes for longer than {COMPUTING_SECONDS} s or needs more memory than a prompt may"


def render_apart(task: Task) -> str:
    """The template with its names filled in. Raises `TemplateFault`, also when it had to be ended, or `Oversize`."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "harness.render_apart"],
            input=json.dumps(_encode(task)).encode(),
            capture_output=True,
            check=False,
            timeout=_WAIT_SECONDS,
        )
    except subprocess.TimeoutExpired as problem:
        raise TemplateFault(_TOO_MUCH) from problem
    if done.returncode < 0 or b"MemoryError" in done.stderr:
        raise TemplateFault(_TOO_MUCH)
    try:
        answer = json.loads(done.stdout)
    except ValueError as problem:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise TemplateFault(f"could not be rendered: its process ended with {done.returncode}: {last}") from problem
    if "fault" in answer:
        raise TemplateFault(answer["fault"], answer["line"])
    if "size" in answer:
        raise Oversize(answer["agent"], answer["size"])
    return str(answer["text"])


def _encode(task: Task) -> dict[str, Any]:
    coded = asdict(task)
    for agent in coded["agents"].values():
        if isinstance(agent["output"], dict):
            agent["output"]["path"] = str(agent["output"]["path"])
    return coded


def _decode(coded: dict[str, Any]) -> Task:
    agents = {}
    for name, agent in coded.pop("agents").items():
        output = agent["output"]
        if isinstance(output, dict):
            output = Output(agent=output["agent"], path=Path(output["path"]), limit=output["limit"])
        agents[name] = PriorAgent(state=agent["state"], output=output, files=tuple(agent["files"]))
    return Task(**coded, agents=agents)


def _answer(task: Task) -> dict[str, Any]:
    try:
        return {"text": render_here(task)}
    except TemplateFault as fault:
        return {"fault": fault.sentence, "line": fault.line}
    except Oversize as over:
        return {"agent": over.agent, "size": over.size}


def main() -> None:
    """What the process does: takes its bounds upon itself, then the task."""
    task = _decode(json.loads(sys.stdin.buffer.read()))
    _bound("RLIMIT_CORE", 0)
    _bound("RLIMIT_CPU", COMPUTING_SECONDS)
    _bound("RLIMIT_AS", MEMORY + 16 * task.limit)
    print(json.dumps(_answer(task)))


def _bound(name: str, value: int) -> None:
    import resource

    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):  # macOS knows some of them in name only
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    main()
