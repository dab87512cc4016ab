"""Rendering one template with what it may name.

A prompt of text, names, conditions and loops that only write out is rendered at once. Anything else that Jinja2 can say
(arithmetic, calls, loops in loops) is a program: it may take for ever or fill the memory, so `render_apart` runs it
where it can be ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from harness.nearest import quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """An agent's answer in its file, read only when a template uses it. `limit` is the bytes of one hand-over."""

    agent: str
    path: Path
    limit: int

    def text(self) -> str:
        """The answer, empty when the agent left none; bytes that are no UTF-8 become the sign for that (U+FFFD).

        Raises `Oversize` when it is over the limit, `OSError` when it cannot be read.
        """
        try:
            with self.path.open("rb") as opened:
                content = opened.read(self.limit + 1)
                size = os.fstat(opened.fileno()).st_size
        except FileNotFoundError:
            return ""
        if len(content) > self.limit:
            raise Oversize(self.agent, size)
        return content.decode(errors="replace")


@dataclass(frozen=True, kw_only=True, slots=True)
class PriorAgent:
    """What a template may name of an agent of an earlier wave: its state's word, its answer, the files it wrote."""

    state: str
    output: Output | str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One template and everything that it can name. `limit` is the bytes of what is rendered."""

    template: str
    inputs: Mapping[str, str]
    workflow: str
    run: str
    agents: Mapping[str, PriorAgent]
    limit: int


class Oversize(Exception):
    """A text over its limit: the output of `agent`, or what was rendered when that is `None`; then `size` is a part."""

    def __init__(self, agent: str | None, size: int) -> None:
        super().__init__(agent, size)
        self.agent = agent
        self.size = size


def is_template(text: str) -> bool:
    """Whether Jinja2 would find anything to do in this text."""
    return any(mark in text for mark in ("{{", "{%", "{#"))


def render_task(task: Task) -> str:
    """The template with its names filled in. Raises `TemplateFault` or `Oversize`.

    It may take as long as another process may compute, so it belongs off an event loop.
    """
    from harness.template import environment, is_simple, parse

    if is_simple(parse(task.template, environment())):
        return render_here(task)
    from harness.render_apart import render_apart

    return render_apart(task)


def render_here(task: Task) -> str:
    """The same in this process, however long it takes and however much it needs."""
    from harness.template import Labelled, Names, OfAgent, TemplateFault, environment

    agents = {
        name: OfAgent(state=one.state, files=one.files, read=_reader(one.output)) for name, one in task.agents.items()
    }
    names = {
        "inputs": Names("input", task.inputs),
        "agents": Names("agent", agents),
        "workflow": Labelled(task.workflow, name=task.workflow),
        "run": Labelled(task.run, id=task.run),
    }
    pieces: list[str] = []
    size = 0
    try:
        for piece in environment().from_string(task.template).generate(names):
            pieces.append(piece)
            size += len(piece.encode(errors="replace"))
            if size > task.limit:
                raise Oversize(None, size)
    except TemplateFault as fault:
        raise TemplateFault(fault.sentence, fault.line or _line(fault.__traceback__)) from fault
    except (Oversize, MemoryError):
        raise
    except Exception as problem:  # an expression of the template may raise anything
        told = str(problem).rstrip(".") or type(problem).__name__
        raise TemplateFault(f"cannot be rendered: {told}", _line(problem.__traceback__)) from problem
    return "".join(pieces)


def _reader(output: Output | str) -> Callable[[], str]:
    if isinstance(output, str):
        return lambda: output
    return lambda: _text_of(output)


def _text_of(output: Output) -> str:
    from harness.template import TemplateFault

    try:
        return output.text()
    except OSError as problem:
        told = f"uses the output of {quoted(output.agent)}, which cannot be read: {problem.strerror}"
        raise TemplateFault(told) from problem


def _line(traceback: TracebackType | None) -> int | None:
    """The template's own line that a problem came from: Jinja2 puts frames for it into the traceback."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename in ("<template>", "<unknown>"):
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
