"""One adapter per agent CLI. Nothing outside this package knows which CLI an agent is."""

from __future__ import annotations

from importlib import import_module

from harness.agents.base import Adapter

_ADAPTERS = {
    "claude": ("harness.agents.claude", "Claude"),
    "codex": ("harness.agents.codex", "Codex"),
    "gemini": ("harness.agents.gemini", "Gemini"),
    "opencode": ("harness.agents.opencode", "Opencode"),
    "openclaw": ("harness.agents.openclaw", "Openclaw"),
    "hermes": ("harness.agents.hermes", "Hermes"),
    "copilot": ("harness.agents.copilot", "Copilot"),
    "cursor": ("harness.agents.cursor", "Cursor"),
    "qwen": ("harness.agents.qwen", "Qwen"),
    "crush": ("harness.agents.crush", "Crush"),
    "pi": ("harness.agents.pi", "Pi"),
    "command": ("harness.agents.command", "Command"),
}


def adapter(name: str) -> Adapter:
    """The adapter for `cli = "name"`, imported only now; `KeyError` when there is none."""
    module, kind = _ADAPTERS[name]
    made: Adapter = getattr(import_module(module), kind)()
    return made


def names() -> tuple[str, ...]:
    """Every name that `adapter` knows."""
    return tuple(_ADAPTERS)
