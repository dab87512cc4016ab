"""`midwatch trust [PATH]`: lets a project's workflows be launched by name. A person's verb (R21).

`--json`: `{"project": "…"}`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.trust import trust
from store.paths import Places, project_of
from tui.commands.manners import only_for_a_person
from tui.commands.options import describe
from tui.errors import NotFound
from tui.statuses import Status
from tui.text import one_line

if TYPE_CHECKING:
    from tui.commands.terminal import Terminal


def configure(parser: ArgumentParser, command: str) -> None:
    """What it takes."""
    describe(
        parser,
        "Trust the project that PATH (this folder unless said) lies in: its workflows may then be launched by name,"
        "\nand whatever they say later too. Read them first.",
        "midwatch trust ~/src/shop",
    )
    parser.add_argument("path", metavar="PATH", nargs="?", type=Path, help="a folder or file in the project")


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Trusts it."""
    only_for_a_person("trust")
    path = (arguments.path or Path.cwd()).expanduser().resolve()
    if not path.exists():
        raise NotFound(f"there is no {path}")
    if project_of(path) is None:
        raise NotFound(f"{path} lies in no project; a project is a folder with .midwatch or .git in it")
    project = trust(Places.of_environment(), path)
    if arguments.json:
        terminal.document({"project": str(project)})
    else:
        terminal.line(f"the workflows of {one_line(str(project))} may be launched now")
    return Status.OK
