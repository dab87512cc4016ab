"""What the rest of the program knows of an agent CLI, and all that it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from signal import Signals
from typing import Protocol

from harness.reports import Report

_FINGERPRINT_DIGITS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Brief:
    """What one attempt is to be started with, the same for every CLI.

    `session`: the exact id of the session to take up, `None` for a fresh start (R17). `attempt_session`: a fresh UUID,
    which a CLI that lets us choose gets as the id of a fresh session. `env` is the terminal's; adapters look in it for
    what a person has set and never copy values out of it. `run`, `resume` and `reports` are a command's alone.

    `prompt_file` is where what goes to standard input will lie, private to the person, for a CLI that is better told
    where its prompt is. `usage_file` is where a CLI may be told to write what it has used; nothing is there yet.
    """

    prompt: str
    attempt_session: str
    model: str | None = None
    session: str | None = None
    program: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    max_turns: int | None = None
    allow: tuple[str, ...] = ()  # tools that the workflow lets it use without asking, in the words of its CLI
    run: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    reports: bool = False
    prompt_file: Path | None = None
    usage_file: Path | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """The files that an attempt leaves beside its standard output. Read only at its end; any of them may be missing.

    `errors`: its standard error. `usage`: the `usage_file` of its brief.
    """

    errors: Path | None = None
    usage: Path | None = None


NOTHING_BESIDE = Beside()


@dataclass(frozen=True, kw_only=True, slots=True)
class Invocation:
    """How the CLI is started: never a shell string, and never a prompt that others could read in the process list.

    `env` is added to the terminal's. `session` is the id that this attempt is known to have before it says so.
    """

    argv: tuple[str, ...]
    stdin: str
    env: Mapping[str, str] = field(default_factory=dict)
    session: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CredentialShape:
    """What tells one credential from another without holding it (K2).

    `provider` is whom it signs in with, `method` the way of signing in, `place` the variable or file that it is read
    from, `fingerprint` changes when it is changed or saved again (K3).
    """

    provider: str
    method: str
    place: str
    fingerprint: str

    @property
    def key(self) -> str:
        """The same for the same credential and no other; safe to show and to record."""
        return f"{self.provider}:{self.method}:{self.place}:{self.fingerprint}"


class Reader(Protocol):
    """Turns one attempt's standard output into reports. Pure: the same lines and files give the same reports."""

    def read(self, line: bytes) -> Sequence[Report]:
        """The reports of one line, without its newline. Never raises, whatever the line holds."""
        ...

    def end(self) -> Sequence[Report]:
        """What only the end of the output decides. Called once, after the last line."""
        ...


class Adapter(Protocol):
    """One agent CLI: how to start it, how to read it, what it signs in with."""

    @property
    def name(self) -> str:
        """The word for it in `cli = …`."""
        ...

    @property
    def program(self) -> str:
        """The executable looked for on the terminal's PATH; '' when the workflow names it."""
        ...

    @property
    def metered(self) -> bool:
        """Whether running it spends money."""
        ...

    @property
    def gives_result(self) -> bool:
        """Whether its output always ends with a result, so that an exit 0 without one has failed (A5)."""
        ...

    @property
    def takes_lines(self) -> bool:
        """Whether its standard output is lines to be read; otherwise it is the answer, byte for byte."""
        ...

    @property
    def chooses_session(self) -> bool:
        """Whether a fresh session gets the id that we give it."""
        ...

    @property
    def resumes(self) -> bool:
        """Whether it can take up a session by its exact id; a command can where its workflow says how."""
        ...

    @property
    def polite(self) -> Signals:
        """The signal after which it still says what it has done and spent, to be tried before firmer ones."""
        ...

    @property
    def patience(self) -> float:
        """Seconds that it may try again by itself without a sign of life; a shorter watchdog would cut it off."""
        ...

    @property
    def version(self) -> tuple[str, ...]:
        """The arguments with which it prints its version; () when there is none to ask for."""
        ...

    @property
    def tested(self) -> str:
        """The version whose real output the reader is tested on; '' when there is none."""
        ...

    @property
    def limits(self) -> tuple[str, ...]:
        """What it does not tell or let us do, a sentence each, for `doctor`."""
        ...

    def invoke(self, brief: Brief) -> Invocation:
        """How this attempt is started."""
        ...

    def reader(self, *, reports: bool = False, beside: Beside = NOTHING_BESIDE) -> Reader:
        """A reader that has read nothing yet. `reports`: a command whose lines are reports."""
        ...

    def credential(self, env: Mapping[str, str]) -> CredentialShape | None:
        """What it would sign in with in this environment; `None` when that cannot be told."""
        ...


def fingerprint(*parts: str | bytes) -> str:
    """A short fingerprint of a secret (with whatever else makes it another one); the secret cannot be had from it."""
    digest = sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode(errors="surrogateescape")
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()[:_FINGERPRINT_DIGITS]


def credential_in(env: Mapping[str, str], name: str, *, provider: str, method: str) -> CredentialShape | None:
    """The shape of the credential in the variable `name`; `None` when it is not set or empty."""
    secret = env.get(name)
    if not secret:
        return None
    return CredentialShape(provider=provider, method=method, place=name, fingerprint=fingerprint(secret))
