"""The harness's errors; the message of each is a sentence for a person.

HarnessError
├── FileError           something in a file of the person's: where, and what
│   ├── WorkflowError   a workflow file, or a prompt file that it names
│   └── SettingsError   config.toml
├── WorkflowNotFound    no workflow of that name, or several in one folder
├── InputError          an input that a workflow does not know, needs or does not allow
├── PromptError         a prompt that cannot be rendered
│   └── HandoverTooLarge    a text over the limit of a hand-over: refused, never cut (O9)
├── NotTrusted          a project's workflow, and the person has not trusted that project
├── SurroundingsError   the terminal's environment, folder or limits cannot be read or handed over (R20)
├── RefusedError        a request that does not apply, or that only a person may make
└── WatchError          the watch could not be started, or does not answer
"""

from __future__ import annotations

from pathlib import Path

from harness.nearest import harmless
from harness.size import format_size


class HarnessError(Exception):
    """Something that a person must know before work can be handed to an agent."""


class FileError(HarnessError):
    """Something in a file of the person's is wrong. `line` counts from 1; `None`: the file as a whole."""

    def __init__(self, file: Path, line: int | None, sentence: str) -> None:
        where = harmless(file) if line is None else f"{harmless(file)}:{line}"
        super().__init__(f"{where}: {sentence}")
        self.file = file
        self.line = line
        self.sentence = sentence
        self.others: tuple[FileError, ...] = ()
        """What else is wrong with the same file, in the order of its lines; this one comes first."""

    @property
    def all(self) -> tuple[FileError, ...]:
        """Everything that is wrong with the file."""
        return (self, *self.others)


class WorkflowError(FileError):
    """A workflow file that nothing can be launched from."""


class SettingsError(FileError):
    """A settings file that cannot be taken up."""


class WorkflowNotFound(HarnessError):
    """No workflow answers to that name."""


class InputError(HarnessError):
    """The inputs given at launch do not fit the workflow's."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name


class PromptError(HarnessError):
    """A prompt that cannot be rendered for this agent."""

    def __init__(self, agent: str, sentence: str) -> None:
        super().__init__(f"the prompt of '{agent}' {sentence}")
        self.agent = agent


class HandoverTooLarge(PromptError):
    """A text over the limit of one hand-over. Both figures are bytes; `at_least`: it was not counted to its end."""

    def __init__(self, agent: str, what: str, *, size: int, limit: int, at_least: bool = False) -> None:
        figure = f"{'more than ' if at_least else ''}{format_size(size)}"
        super().__init__(
            agent,
            f"is refused: {what} is {figure}, and one hand-over may be {format_size(limit)}; "
            "hand over less, or raise `[limits] handover` in config.toml",
        )
        self.size = size
        self.limit = limit


class NotTrusted(HarnessError):
    """A project's workflow may be listed, but not launched before the person trusted that project."""

    def __init__(self, project: Path) -> None:
        super().__init__(
            f"the project {harmless(project)} is not trusted, so its workflows are not launched; "
            f"read them, then trust it with `midwatch trust {harmless(project)}`"
        )
        self.project = project


class SurroundingsError(HarnessError):
    """What the launching terminal gives its agents cannot be read or handed over (R20)."""


class RefusedError(HarnessError):
    """A request that does not apply from here, or that an agent made though only a person may."""


class WatchError(HarnessError):
    """The watch could not be started, or has not answered."""
