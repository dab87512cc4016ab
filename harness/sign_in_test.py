"""One short request by a CLI, to find out whether a credential works again (K3). It is paid for like any other."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path

from harness.agents import adapter
from harness.agents.base import Adapter, Beside, Brief
from harness.cli_names import COMMAND
from harness.reports import Failure, Result
from harness.settings import CliSettings, load_settings
from store.credentials import Remembered
from store.paths import Places

LONGEST_S = 120.0
_PROMPT = "Answer with the one word ok, and do nothing else."


def try_credential(places: Places, one: Remembered) -> str | None:
    """Why the credential does not work from this terminal, as a sentence; `None` when a provider answered on it.

    Starts the CLI in an empty folder with this terminal's environment, and ends it after two minutes.
    """
    if one.cli == COMMAND:
        return "it is used by a program that midwatch does not know how to ask; clear it, or launch the program"
    cli, chosen = load_settings(places.settings).cli.get(one.cli, CliSettings()), adapter(one.cli)
    env = {**os.environ, **cli.env}
    shape = chosen.credential(env)
    if shape is not None and shape.key != one.key:
        return "this terminal signs in with another credential; test it from where the run was launched, or clear it"
    with tempfile.TemporaryDirectory(prefix="midwatch-test-") as folder:
        return _ask(chosen, cli, env, Path(folder))


def _ask(chosen: Adapter, cli: CliSettings, env: dict[str, str], folder: Path) -> str | None:
    prompt, usage, out, err = (folder / name for name in ("prompt", "usage", "out", "err"))
    work = folder / "work"
    work.mkdir()
    brief = Brief(
        prompt=_PROMPT,
        attempt_session=str(uuid.uuid4()),
        program=cli.program,
        args=cli.args,
        env=env,
        prompt_file=prompt,
        usage_file=usage,
    )
    invocation = chosen.invoke(brief)
    prompt.write_text(invocation.stdin)
    try:
        with prompt.open() as stdin, out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                invocation.argv,
                cwd=work,
                env={**env, **invocation.env},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
    except OSError as problem:
        return f"{invocation.argv[0]} could not be started: {problem.strerror}"
    try:
        process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"{chosen.name} gave no answer within {LONGEST_S:.0f} s"
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return _judge(chosen, out, Beside(errors=err, usage=usage), process.returncode)


def _judge(chosen: Adapter, out: Path, beside: Beside, status: int) -> str | None:
    reader = chosen.reader(beside=beside)
    reports = [report for line in out.read_bytes().splitlines() for report in reader.read(line)]
    reports += reader.end()
    results = [one for one in reports if isinstance(one, Result)]
    failures = [one for one in reports if isinstance(one, Failure) and not one.retrying]
    if results and not results[-1].ok:
        return results[-1].error or (failures[-1].message if failures else f"{chosen.name} reported an error")
    if failures:
        return failures[-1].message
    return None if status == 0 else f"{chosen.name} exited with status {status}"
