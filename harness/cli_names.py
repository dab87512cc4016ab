"""The names that `cli = …` knows without being told: those of the adapters in `harness.agents`, and no others.

They stand here once more because reading a workflow must not cost the import of an adapter.
"""

from __future__ import annotations

COMMAND = "command"
"""Any program, its own standard output the answer."""

BUILT_IN = (
    "claude",
    "codex",
    "gemini",
    "opencode",
    "openclaw",
    "hermes",
    "copilot",
    "cursor",
    "qwen",
    "crush",
    "pi",
    COMMAND,
)
GIVEN_BY_RUN = frozenset({COMMAND})
"""Those whose program a workflow names itself, in `run`."""
