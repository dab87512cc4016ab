"""Where everything lies: settings, workflows, the record and what stands beside it.

Imported by every command, so nothing heavy is imported here: the platform's folders are asked for only when
`MIDWATCH_HOME` does not say where everything is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from store.errors import RecordUnavailable

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from typing import Literal

    Part = Literal["out", "err", "exit", "prompt", "answer", "usage"]

HOME = "MIDWATCH_HOME"

_MACHINE_ID_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_LONGEST_STEM = 200  # bytes of an agent's name in a file name; most file systems take 255 with what follows


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The files and folders of one person on one machine. Naming them creates nothing; `prepare` does."""

    settings: Path
    """The person's `config.toml`."""
    workflows: Path
    """The folder of the person's own workflow files."""
    state: Path
    """The folder of the record and of all that stands beside it."""
    home: Path | None = None
    """`MIDWATCH_HOME`, where it decided the other three."""

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Places:
        """The places that hold under `environment`.

        Without `MIDWATCH_HOME` they are the platform's, which this process's own environment decides, and the state
        lies in a folder named by the machine's id: a home on a shared disk must not share a record.
        """
        named = environment.get(HOME)
        if named:
            home = Path(os.path.abspath(named))  # noqa: PTH100  # Path.absolute keeps '..', and the watch has another cwd
            return cls(settings=home / "config.toml", workflows=home / "workflows", state=home / "state", home=home)
        import platformdirs

        config = Path(platformdirs.user_config_dir("midwatch", appauthor=False))
        state = Path(platformdirs.user_state_dir("midwatch", appauthor=False))
        return cls(settings=config / "config.toml", workflows=config / "workflows", state=state / machine_id())

    def environment(self) -> dict[str, str]:
        """The variables under which another process of this person finds the same places."""
        return {HOME: str(self.home)} if self.home is not None else {}

    @property
    def machine(self) -> str:
        """The id of this machine, which a record names."""
        return machine_id()

    @property
    def record(self) -> Path:
        """The SQLite file."""
        return self.state / "record.db"

    @property
    def journals(self) -> Path:
        """The folder with one folder of journals per run."""
        return self.state / "journals"

    @property
    def handoffs(self) -> Path:
        """The folder in which a terminal leaves its surroundings for the watch (R20)."""
        return self.state / "handoffs"

    @property
    def watch_log(self) -> Path:
        """The watch's own log."""
        return self.state / "watch.log"

    @property
    def watch_lock(self) -> Path:
        """The file whose lock keeps the watch single."""
        return self.state / "watch.lock"

    @property
    def looking_lock(self) -> Path:
        """The file that whoever looks at the record holds a shared lock on."""
        return self.state / "looking.lock"

    @property
    def trusted(self) -> Path:
        """The list of projects that the person trusted."""
        return self.state / "trusted"

    @property
    def fingerprint_key(self) -> Path:
        """The random key without which the record's fingerprints say nothing."""
        return self.state / "fingerprint.key"

    def journals_of(self, run: str) -> Path:
        """The folder of one run's journals."""
        return self.journals / run

    def journal(self, run: str, agent: str, attempt: int, part: Part) -> Path:
        """One file of one attempt: `out` and `err` byte for byte, `exit`, and the `prompt` and `answer` as text."""
        return self.journals / run / f"{_stem(agent)}.{attempt}.{part}"

    def prepare(self) -> None:
        """Makes the folders of the state, mode 0700. Raises `RecordUnavailable` when they cannot be had."""
        if self.home is None or not self.home.exists():  # what the person made keeps the mode they gave it
            private_folder(self.state.parent)
        for folder in (self.state, self.journals, self.handoffs):
            private_folder(folder)


def private_folder(path: Path) -> None:
    """Makes `path` a folder that only this user can enter (0700), parents included where they are missing.

    Raises `RecordUnavailable` when it cannot be made, or belongs to another user, who could swap what lies in it.
    """
    try:
        if not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(mode=0o700, exist_ok=True)
        found = path.stat()
        if os.geteuid() not in (0, found.st_uid):
            raise RecordUnavailable(f"the folder {path} belongs to another user; move it, or set {HOME}")
        if stat.S_IMODE(found.st_mode) & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise RecordUnavailable(
            f"the folder {path} cannot be used: {error.strerror or error}; check its owner and mode, or set {HOME}"
        ) from error


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file that only this user can read (0600 if it is made now); never follows a link at `path`."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def machine_id() -> str:
    """This machine's id as the system gives it, else its name up to the first dot."""
    for file in _MACHINE_ID_FILES:
        try:
            with open(file, encoding="ascii") as opened:  # noqa: PTH123  # on the path of every command
                found = opened.read(80).strip()
        except (OSError, ValueError):
            continue
        if 8 <= len(found) <= 64 and found.isalnum() and found != "uninitialized":
            return found
    name = os.uname().nodename.partition(".")[0]
    return "".join(one if one.isalnum() or one in "-_" else "-" for one in name)[:64] or "this-machine"


def project_of(path: Path) -> Path | None:
    """The project of an absolute path: the nearest folder upward, itself included, with `.midwatch` or `.git`."""
    for folder in (path, *path.parents):
        if os.path.lexists(folder / ".midwatch") or os.path.lexists(folder / ".git"):
            return folder
    return None


def _stem(agent: str) -> str:
    encoded = agent.encode()
    if len(encoded) <= _LONGEST_STEM:
        return agent
    import hashlib

    kept = encoded[: _LONGEST_STEM - 40].decode(errors="ignore")
    return f"{kept}~{hashlib.sha256(encoded).hexdigest()[:16]}"  # '~' stands in no agent's name, so nothing clashes
