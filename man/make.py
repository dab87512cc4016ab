"""Writes man/midwatch.1 from the program's own parsers: `python -m man.make`. A test holds it to them."""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from tui.commands.parsers import STATUSES, parser_of
from tui.commands.registry import COMMANDS

PAGE = Path(__file__).with_name("midwatch.1")

_FILES = (
    ("config.toml", "settings, in the platform's configuration folder for midwatch"),
    ("workflows/*.toml", "your own workflows, in the same folder"),
    (".midwatch/*.toml", "a project's workflows; launched by name once you trusted the project"),
    ("record.db", "the record (SQLite), in the platform's state folder for midwatch, in a folder named by the machine"),
    ("journals/RUN/AGENT.ATTEMPT.out", "what an agent printed, byte for byte; .err and .exit stand beside it"),
    ("watch.log", "the log of the process that conducts the runs"),
)
_ENVIRONMENT = (
    ("MIDWATCH_HOME", "one folder for settings, workflows and record"),
    ("NO_COLOR", "no colours"),
    ("PAGER", "what shows a whole output"),
)


def page() -> str:
    """The whole page in the man macros."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield '.TH MIDWATCH 1 "" midwatch "User Commands"'
    yield from (".SH NAME", r"midwatch \- runs workflows of coding agents and says honestly what became of them")
    yield from (".SH SYNOPSIS", ".B midwatch", ".br", ".B midwatch", r"\fICOMMAND\fR [\fIARGUMENTS\fR]")
    yield ".SH DESCRIPTION"
    yield _text(
        "Without a command midwatch opens its screen: workflows, live runs, what each agent prints and costs, and after"
        " a crash what was cut off. Runs go on without the screen. Every command works without it, takes --json, and"
        " leaves with a status that tells how it went."
    )
    yield ".SH COMMANDS"
    for name, (_, takes, does) in COMMANDS.items():
        parser = parser_of(name, 100)
        yield f".SS {_text(f'{name} {takes}'.strip())}"
        yield _text(parser.description or does)
        yield from _arguments(parser)
        if parser.epilog:
            yield from (".P", ".nf", *(_text(line) for line in parser.epilog.splitlines()), ".fi")
    yield from (".SH EXIT STATUS", _text(STATUSES))
    for title, rows in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        yield f".SH {title}"
        for term, meaning in rows:
            yield from (".TP", rf"\fB{_text(term)}\fR", _text(meaning))


def _arguments(parser: ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if action.help not in (None, SUPPRESS) and "--help" not in action.option_strings:
            yield from (".TP", _term(action), _text(action.help or ""))


def _term(action: Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return rf"\fI{_text(value)}\fR"
    words = ", ".join(rf"\fB{_text(word)}\fR" for word in action.option_strings)
    if action.nargs == 0:
        return words
    if action.choices is not None:
        value = "|".join(str(one) for one in action.choices)
    return rf"{words} \fI{_text(value)}\fR"


def _text(text: str) -> str:
    """`text` with nothing in it that troff would take for its own."""
    shown = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", shown)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
