"""The text an agent is handed: the situation of the waves before, its prompt, and how to report.

Jinja2 is imported only when a prompt is a template. Nothing is ever cut: what is over the limit is refused (O9).
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import HandoverTooLarge, PromptError
from harness.nearest import quoted
from harness.rendering import Output, Oversize, PriorAgent, Task, is_template, render_task

__all__ = ["Output", "PriorAgent", "render"]


def render(
    *,
    agent: str,
    template: str,
    inputs: Mapping[str, str],
    workflow: str,
    run: str,
    agents: Mapping[str, PriorAgent],
    limit: int,
    situation: str = "",
    reporting: str = "",
) -> str:
    """What `agent` is handed: `situation`, the rendered `template` and `reporting`, a blank line apart.

    `workflow` is its name, `run` its id, `agents` those of earlier waves, `limit` the bytes of one hand-over: of each
    output that the template uses, and of each of the three parts. Raises `PromptError`, `HandoverTooLarge`. It may wait
    for another process that computes (`render_apart`), so it belongs off an event loop.
    """
    task = Task(template=template, inputs=inputs, workflow=workflow, run=run, agents=agents, limit=limit)
    parts = {
        "the situation before it": situation.strip("\n"),
        "its text": _rendered(agent, task).strip("\n"),
        "what it says on reporting": reporting.strip("\n"),
    }
    for what, part in parts.items():
        size = len(part.encode(errors="replace"))
        if size > limit:
            raise HandoverTooLarge(agent, what, size=size, limit=limit)
    return "\n\n".join(part for part in parts.values() if part) + "\n"


def _rendered(agent: str, task: Task) -> str:
    if not is_template(task.template):
        return task.template
    from harness.template import TemplateFault

    try:
        return render_task(task)
    except TemplateFault as fault:
        where = "" if fault.line is None else f" (its line {fault.line})"
        raise PromptError(agent, f"{fault.sentence}{where}") from fault
    except Oversize as over:
        what = "its text" if over.agent is None else f"the output of {quoted(over.agent)} in it"
        raise HandoverTooLarge(agent, what, size=over.size, limit=task.limit, at_least=over.agent is None) from over
