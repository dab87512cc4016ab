"""The templates that prompts are: Jinja2's sandbox, and what is in it.

Importing this imports Jinja2, so it is done where a template is at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.sandbox import SandboxedEnvironment

from harness.names import normal_name
from harness.nearest import quoted, suggestion

NAMES = ("inputs", "workflow", "run", "agents")
OF_AN_AGENT = ("output", "state", "files")
OF_THE_WORKFLOW = ("name",)
OF_THE_RUN = ("id",)

_WRITING_NODES = (nodes.Output, nodes.TemplateData, nodes.Const, nodes.Name, nodes.Getattr, nodes.Getitem)
_SIMPLE_NODES = (
    *_WRITING_NODES,
    nodes.Slice,
    nodes.If,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Concat,
    nodes.For,
    nodes.Filter,
    nodes.Test,
)
_LINEAR_FILTERS = frozenset({"count", "default", "d", "first", "last", "length", "lower", "trim", "upper"})
_MOST_NODES = 500
_LONGEST_SEPARATOR = 16


class TemplateFault(Exception):
    """A template that cannot be read or rendered: half a sentence, and the template's own line if it is known."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


class Names:
    """Things by name, as `things.NAME` or `things['NAME']`. Has no methods: every name is free for a thing."""

    __slots__ = ("_kind", "_things")

    def __init__(self, kind: str, things: Mapping[str, Any]) -> None:
        self._kind = kind
        self._things = things

    def __getitem__(self, name: str) -> Any:
        found = self._things.get(normal_name(str(name)))
        if found is None:
            raise TemplateFault(f"asks for the {self._kind} {quoted(str(name))}; {suggestion(str(name), self._things)}")
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and normal_name(name) in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def __str__(self) -> str:
        raise TemplateFault(f"writes out {self._kind}s as a whole; name one of them")


class OfAgent:
    """What `agents.NAME` offers. `read` gives its output, and is called only when a template uses that."""

    __slots__ = ("_output", "_read", "files", "state")

    def __init__(self, *, state: str, files: tuple[str, ...], read: Callable[[], str]) -> None:
        self.state = state
        self.files = files
        self._read = read
        self._output: str | None = None

    @property
    def output(self) -> str:
        """The agent's whole answer."""
        if self._output is None:
            self._output = self._read()
        return self._output

    def __str__(self) -> str:
        raise TemplateFault(f"writes out an agent as a whole; {suggestion('', OF_AN_AGENT)}")


class Labelled(str):
    """A text that also has parts: `{{ run }}` is its id, and so is `{{ run.id }}`."""

    def __new__(cls, text: str, **parts: str) -> Labelled:
        """The text with its parts as attributes."""
        made = super().__new__(cls, text)
        vars(made).update(parts)
        return made


def environment() -> SandboxedEnvironment:
    """The sandbox for one template: unknown names are errors, nothing can be loaded, nothing is escaped."""
    made = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, optimized=False, cache_size=0)
    del made.globals["lipsum"]
    return made


def parse(source: str, sandbox: SandboxedEnvironment) -> nodes.Template:
    """The template's syntax tree. Raises `TemplateFault` with the line."""
    try:
        return sandbox.parse(source)
    except TemplateError as problem:
        sentence = str(problem.message or problem).rstrip(".")
        raise TemplateFault(
            f"is not a valid template: {sentence[:1].lower()}{sentence[1:]}", getattr(problem, "lineno", None)
        ) from problem
    except (RecursionError, ValueError, OverflowError) as problem:
        raise TemplateFault("is not a valid template: an expression in it is too long or too deep") from problem


def is_simple(tree: nodes.Template) -> bool:
    """Whether rendering it takes no longer, and makes no more, than what stands in it and what it names.

    No calls, no arithmetic, no variables that could double themselves, loops that only write out, few filters and few
    nodes. Everything else is a program, and is run where it can be ended.
    """
    for count, node in enumerate(tree.find_all(nodes.Node)):
        if count == _MOST_NODES or not isinstance(node, _SIMPLE_NODES):
            return False
        if isinstance(node, nodes.For) and not _is_simple_loop(node):
            return False
        if isinstance(node, nodes.Filter) and not _is_simple_filter(node):
            return False
    return True


def _is_simple_loop(loop: nodes.For) -> bool:
    return (
        isinstance(loop.iter, nodes.Name | nodes.Getattr | nodes.Getitem)
        and not loop.recursive
        and loop.test is None
        and all(isinstance(node, _WRITING_NODES) for part in loop.body for node in (part, *part.find_all(nodes.Node)))
    )


def _is_simple_filter(node: nodes.Filter) -> bool:
    if node.name in _LINEAR_FILTERS:
        return True
    separator = node.args[0] if node.args else None
    return (
        node.name == "join"
        and isinstance(node.node, nodes.Name | nodes.Getattr | nodes.Getitem)
        and isinstance(separator, nodes.Const)
        and len(str(separator.value)) <= _LONGEST_SEPARATOR
    )
