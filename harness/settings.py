"""The person's settings, and what holds where the file says nothing.

Reading a file that exists costs a TOML decoder, so that lies in `settings_file` and is imported only then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from harness.cli_names import BUILT_IN


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentDefaults:
    """`[defaults]`: what holds for an agent when its workflow does not say."""

    cli: str | None = None
    """The CLI of an agent that names none; without it, naming none is an error."""
    model: str | None = None
    """The model for agents of that CLI."""
    timeout: float = 3_600.0
    """Seconds of one attempt."""
    parallel: int = 8
    """Agents of one run at once."""
    no_sign_of_life: float = 1_800.0
    """Seconds of silence after which an attempt counts as stuck (E9)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Retention:
    """`[retention]`: how much of the past is kept in detail (R5, R6)."""

    runs: int = 500
    """Runs with their events and output; the history line of a run stays for good."""
    bytes: int = 2 << 30
    """Bytes of all records together."""
    record: int = 256 << 20
    """Bytes of one run's record; a larger one is dropped whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SizeLimits:
    """`[limits]`: what one attempt, one hand-over and one question may take."""

    output: int = 1 << 30
    """Bytes that one attempt may print."""
    handover: int = 1 << 20
    """Bytes of one text handed to an agent; over it, the text is refused (O9)."""
    approval: float = 1_800.0
    """Seconds until a request that nobody answered expires (A3)."""


class PromptBy(StrEnum):
    """How a CLI of one's own is given its prompt."""

    STDIN = "stdin"
    FILE = "file"  # its path stands in the command as {{ prompt_file }}


FIELDS = (
    "session",
    "model",
    "text",
    "turns",
    "input",
    "output",
    "cache_read",
    "cache_write",
    "cost_usd",
    "error",
)
"""What `[cli.NAME.fields]` can say the place of in the lines that a CLI of one's own prints."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CliSettings:
    """`[cli.NAME]`: how one CLI is started here; with `command`, a CLI of the person's own."""

    program: str | None = None
    """The program to start in place of the one found on PATH."""
    args: tuple[str, ...] = ()
    """Arguments before midwatch's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables over those of the launching terminal."""
    command: tuple[str, ...] = ()
    """How a CLI of one's own is started."""
    resume: tuple[str, ...] = ()
    """How it takes up a session; `{{ session }}` in it stands for the exact id."""
    prompt: PromptBy = PromptBy.STDIN
    """How it is given its prompt."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JSON paths into the lines that it prints, by what stands there (`FIELDS`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a model costs, in nano-dollars per million tokens. `None` is unknown, never free (U2)."""

    input: int | None = None
    """What the cache did not serve."""
    output: int | None = None
    """What the model wrote."""
    cache_read: int | None = None
    """What the cache served."""
    cache_write: int | None = None
    """What was put into the cache."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notices:
    """`[notices]`: how a person is told that a run ended or an agent asks."""

    bell: bool = True
    """The terminal's bell."""
    osc: bool = True
    """The terminal's own notices (OSC 9 and 777)."""
    command: tuple[str, ...] = ()
    """A program of the person's to call instead."""
    webhook: str | None = None
    """An address that events are posted to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScreenSettings:
    """`[screen]`: how it looks. `None`: midwatch goes by the terminal."""

    theme: str | None = None
    """A theme's name."""
    mouse: bool | None = None
    """Whether the mouse is taken from the terminal."""
    motion: bool | None = None
    """Whether anything moves; off over SSH unless said."""
    ascii: bool | None = None
    """Whether signs are plain ASCII; by the locale unless said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """All of `config.toml`."""

    defaults: AgentDefaults = field(default_factory=AgentDefaults)
    retention: Retention = field(default_factory=Retention)
    limits: SizeLimits = field(default_factory=SizeLimits)
    cli: Mapping[str, CliSettings] = field(default_factory=dict)
    """By name, those that the file says something about."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By model, over the library's."""
    notices: Notices = field(default_factory=Notices)
    screen: ScreenSettings = field(default_factory=ScreenSettings)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the id of an action, the keys that stand for it. Which actions there are is the screen's to know."""

    @property
    def clis(self) -> tuple[str, ...]:
        """Every name that `cli = …` may have: the built-in ones, then the person's own."""
        return (*BUILT_IN, *(name for name in self.cli if name not in BUILT_IN))


def load_settings(path: Path) -> Settings:
    """The settings in the file at `path`, the built-in ones when there is none. Raises `SettingsError`."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except OSError as problem:
        from harness.errors import SettingsError

        raise SettingsError(path, None, f"cannot be read: {problem.strerror}") from problem
    from harness.settings_file import read_settings

    return read_settings(path)
