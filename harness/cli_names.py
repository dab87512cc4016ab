"""The names that `cli = …` knows without being told."""

from __future__ import annotations

COMMAND = "command"
"""Any program, its own standard output the answer."""
ACP = "acp"
"""Any program that speaks the Agent Client Protocol."""

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
    ACP,
    COMMAND,
)
GIVEN_BY_RUN = frozenset({ACP, COMMAND})
"""Those whose program a workflow names itself, in `run`."""
