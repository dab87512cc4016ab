"""Which agent CLIs are here, and which versions of them, for `doctor`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from harness.agents import adapter, names
from harness.agents.base import CredentialShape
from harness.settings import Settings

ASK_S = 10.0
_NUMBER = re.compile(r"\d+(?:\.\d+)+(?:[.+-]?[0-9A-Za-z]+)*")
_MARK = "MIDWATCH_ATTEMPT"


@dataclass(frozen=True, kw_only=True, slots=True)
class CliFound:
    """One CLI as this terminal would start it. `path` is `None` when it is not there.

    `version` is `None` when it did not say; `tested` is the version whose real output the reader is tested on.
    """

    name: str
    program: str
    path: Path | None
    version: str | None
    tested: str
    limits: tuple[str, ...]
    credential: CredentialShape | None


def find_clis(settings: Settings) -> list[CliFound]:
    """Every CLI that midwatch knows, asked for its version; those of the person's own last. At most `ASK_S` seconds."""
    known = [name for name in names() if adapter(name).program]
    own = [name for name, cli in settings.cli.items() if name not in names() and cli.command]
    with ThreadPoolExecutor(max_workers=8) as pool:
        return [*pool.map(lambda name: _known(name, settings), known), *(_own(name, settings) for name in own)]


def _known(name: str, settings: Settings) -> CliFound:
    one, said = adapter(name), settings.cli.get(name)
    program = said.program if said is not None and said.program else one.program
    found = shutil.which(program)
    environment = {**os.environ, **(said.env if said is not None else {})}
    return CliFound(
        name=name,
        program=program,
        path=None if found is None else Path(found),
        version=None if found is None else ask_version([found, *one.version], environment) if one.version else None,
        tested=one.tested,
        limits=one.limits,
        credential=one.credential(environment),
    )


def _own(name: str, settings: Settings) -> CliFound:
    program = settings.cli[name].command[0]
    found = shutil.which(program)
    path = None if found is None else Path(found)
    return CliFound(name=name, program=program, path=path, version=None, tested="", limits=(), credential=None)


def ask_version(command: Sequence[str], environment: dict[str, str]) -> str | None:
    """The version that this command prints; `None` when it prints none, fails or takes longer than `ASK_S`."""
    environment.pop(_MARK, None)
    try:
        said = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_S,
            env=environment,
            start_new_session=True,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    for stream in (said.stdout, said.stderr):  # pi says it on standard error
        found = _NUMBER.search(stream.decode(errors="replace"))
        if found is not None:
            return found[0]
    return None
