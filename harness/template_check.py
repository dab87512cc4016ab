"""What is wrong with a prompt's template, found without rendering it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment

from harness.names import normal_name
from harness.nearest import quoted, suggestion
from harness.template import (
    NAMES,
    OF_AN_AGENT,
    OF_THE_RUN,
    OF_THE_WORKFLOW,
    TemplateFault,
    environment,
    parse,
)

Fault = tuple[int, str]
_OF_JINJA = frozenset({"loop", "caller", "varargs", "kwargs", "self", "true", "false", "none"})
_LOADING = (nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)


def faults_of_template(
    source: str, *, inputs: Sequence[str] | None, earlier: Sequence[str] | None, waves: Mapping[str, str]
) -> list[Fault]:
    """What is wrong, as lines of the template and half sentences behind 'the prompt', in the order of the lines.

    `inputs` are the workflow's; `earlier` the agents whose output there will be; `waves` all agents with their waves.
    Of what is `None` nobody can say what there is, and every name of it passes.
    """
    sandbox = environment()
    try:
        tree = parse(source, sandbox)
    except TemplateFault as fault:
        return [(fault.line or 1, fault.sentence)]
    own = _own_names(tree)
    faults = [
        *_unknown_parts(tree, set(NAMES) - own, inputs=inputs, earlier=earlier, waves=waves),
        *_unknown_names(tree, own, sandbox),
        *_unknown_filters(tree, sandbox),
    ]
    return sorted(faults, key=lambda fault: fault[0])


def _own_names(tree: nodes.Template) -> set[str]:
    """Every name that the template itself gives to something, anywhere.

    Jinja2's own search for undeclared names is exact, but computes constant expressions on its way, however large.
    """
    stored = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
    return stored | {macro.name for macro in tree.find_all(nodes.Macro)}


def _unknown_names(tree: nodes.Template, own: set[str], sandbox: SandboxedEnvironment) -> Iterator[Fault]:
    known = {*own, *NAMES, *sandbox.globals, *_OF_JINJA}
    for node in tree.find_all(nodes.Name):
        if node.name not in known:
            yield node.lineno, f"uses {quoted(node.name)}, which is not known here; {suggestion(node.name, NAMES)}"


def _unknown_parts(
    tree: nodes.Template,
    given: set[str],
    *,
    inputs: Sequence[str] | None,
    earlier: Sequence[str] | None,
    waves: Mapping[str, str],
) -> Iterator[Fault]:
    known = {"workflow": OF_THE_WORKFLOW, "run": OF_THE_RUN}
    for node in _lookups(tree):
        part = _part(node)
        around = node.node
        if part is None:
            continue
        if isinstance(around, nodes.Name) and around.name in given:
            if around.name == "inputs" and inputs is not None and normal_name(part) not in inputs:
                yield node.lineno, f"uses the input {quoted(part)}, which does not exist; {suggestion(part, inputs)}"
            elif around.name == "agents" and earlier is not None and normal_name(part) not in earlier:
                yield node.lineno, _unknown_agent(part, earlier, waves)
            elif around.name in known and part not in known[around.name] and not hasattr(str, part):
                near = suggestion(part, known[around.name])
                yield node.lineno, f"uses {quoted(f'{around.name}.{part}')}, which does not exist; {near}"
        elif _is_agent(around, given) and part not in OF_AN_AGENT:
            yield node.lineno, f"asks an agent for {quoted(part)}; {suggestion(part, OF_AN_AGENT)}"


def _lookups(tree: nodes.Template) -> Iterator[nodes.Getattr | nodes.Getitem]:
    yield from tree.find_all(nodes.Getattr)
    yield from tree.find_all(nodes.Getitem)


def _part(node: nodes.Getattr | nodes.Getitem) -> str | None:
    """The name after the dot or in the brackets, if it is written out."""
    if isinstance(node, nodes.Getattr):
        return node.attr
    return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None


def _is_agent(node: nodes.Expr, given: set[str]) -> bool:
    return (
        isinstance(node, nodes.Getattr | nodes.Getitem)
        and isinstance(node.node, nodes.Name)
        and node.node.name == "agents"
        and "agents" in given
    )


def _unknown_agent(name: str, earlier: Sequence[str], waves: Mapping[str, str]) -> str:
    wave = waves.get(normal_name(name))
    if wave is not None:
        return f"uses the agent {quoted(name)}, which is in wave {quoted(wave)} and not in an earlier one"
    told = f"uses the agent {quoted(name)}, which is not in an earlier wave"
    if not earlier:
        return f"{told}; there is no earlier wave"
    for one in earlier:
        if one.startswith((f"{name}-", f"{name}.")):  # a template reads agents.a-b as a difference
            return f"{told}; write agents['{one}'] for a name with '-' or '.' in it"
    return f"{told}; {suggestion(name, earlier)}"


def _unknown_filters(tree: nodes.Template, sandbox: SandboxedEnvironment) -> Iterator[Fault]:
    for node in tree.find_all((nodes.Filter, nodes.Test)):
        kind, known = ("filter", sandbox.filters) if isinstance(node, nodes.Filter) else ("test", sandbox.tests)
        if node.name not in known:
            near = suggestion(node.name, known)
            yield node.lineno, f"uses the {kind} {quoted(node.name)}, which does not exist; {near}"
    for loading in tree.find_all(_LOADING):
        yield loading.lineno, "loads another template; a prompt stands alone"
