"""Which sub-commands there are. Only the one that is called is imported."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping
    from typing import Protocol

    from tui.commands.terminal import Terminal

    class Family(Protocol):
        """What a module of commands offers. `arguments.command` is the word that was given."""

        def configure(self, parser: ArgumentParser, command: str) -> None:
            """Says what the command takes."""

        def run(self, arguments: Namespace, terminal: Terminal) -> int:
            """Does it; answers with the exit status."""


# By the word that is given: the module under `tui.commands`, what it takes and what it does, as the list shows them.
COMMANDS: Mapping[str, tuple[str, str, str]] = {
    "run": ("run", "WORKFLOW", "launch a workflow and follow it to its end"),
    "check": ("check", "WORKFLOW...", "validate workflow files"),
    "list": ("list", "", "workflows, each with its last status"),
    "runs": ("runs", "", "the history of runs"),
    "show": ("show", "RUN", "one run: outcome, cost, waves and agents"),
    "events": ("events", "RUN", "what happened in a run, in order"),
    "logs": ("logs", "RUN [AGENT]", "what agents printed"),
    "stop": ("holding", "RUN [AGENT]", "end a run or an agent now"),
    "drain": ("holding", "[RUN]", "start nothing new, let running agents finish"),
    "pause": ("holding", "[RUN [AGENT]]", "hold what has not started"),
    "unpause": ("holding", "[RUN [AGENT]]", "lift that hold"),
    "recover": ("recover", "", "what was cut off and waits for you"),
    "resume": ("recover", "RUN AGENT", "take up one agent that was cut off"),
    "discard": ("recover", "RUN", "settle what was cut off"),
    "search": ("search", "TEXT", "words in what agents printed, over all runs"),
    "usage": ("usage", "", "what it cost"),
    "credentials": ("credentials", "[clear|test KEY]", "sign-ins and limits that fail"),
    "letters": ("letters", "[retry ID|drop ID]", "dead letters and refused transitions"),
    "export": ("export", "RUN", "one run as JSON or Markdown, to keep or send"),
    "audit": ("audit", "", "prove that the log and the state agree"),
    "doctor": ("doctor", "", "CLIs, the record's health, what is lacking"),
    "status": ("status", "", "one short line for a tmux bar or a prompt"),
    "trust": ("trust", "[PATH]", "trust a project's workflows"),
    "completion": ("completion", "SHELL", "what bash, zsh or fish need to complete midwatch"),
    "serve": ("serve", "", "the screen in a browser on this machine"),
    "watch": ("watch", "", "the process that conducts the runs"),
}


def family(command: str) -> Family:
    """The module that a command lies in."""
    found: Family = import_module(f"tui.commands.{COMMANDS[command][0]}")
    return found
