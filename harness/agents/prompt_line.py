"""The one line that stands in place of a prompt, for a CLI that takes its prompt as an argument.

An argument can be read by everybody in the process list, and one of more than 128 KiB cannot be started on Linux.
"""

from __future__ import annotations

from harness.agents.base import Brief


def prompt_line(brief: Brief) -> str:
    """The line that names the file where the prompt lies. The brief must name one."""
    assert brief.prompt_file is not None
    return f"Your task is written in the file '{brief.prompt_file}'. Read all of it, then do what it says."
