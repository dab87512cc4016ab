"""Reading `config.toml`: every key with its type, every problem with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from harness.cli_names import BUILT_IN
from harness.errors import SettingsError
from harness.names import fault_of_name
from harness.nearest import nearest, quoted
from harness.problems import Problems
from harness.session_argument import fault_of_resume
from harness.settings import (
    FIELDS,
    AgentDefaults,
    CliSettings,
    Notices,
    Price,
    PromptBy,
    Retention,
    ScreenSettings,
    Settings,
    SizeLimits,
)
from harness.toml_file import read_toml
from harness.toml_table import Table, unknown

_Part = TypeVar("_Part")


def read_settings(path: Path) -> Settings:
    """The settings in the file at `path`. Raises `SettingsError` with everything that is wrong with it."""
    file = read_toml(path, SettingsError)
    problems = Problems(file=file, error=SettingsError)
    root = Table(file.data, (), "the settings", problems)
    clis = _named(root, "cli")
    settings = Settings(
        cli={name: _cli(name, table) for name, table in clis.items()},
        defaults=_defaults(root.table("defaults", "[defaults]"), clis),
        retention=_retention(root.table("retention", "[retention]")),
        limits=_limits(root.table("limits", "[limits]")),
        prices={model: _price(table) for model, table in _named(root, "prices").items()},
        notices=_notices(root.table("notices", "[notices]")),
        screen=_screen(root.table("screen", "[screen]")),
        keys=_keys(root.table("keys", "[keys]")),
    )
    root.done()
    problems.raise_all()
    return settings


def _named(root: Table, key: str) -> dict[str, Table]:
    """The tables under `[key.NAME]`."""
    around = root.table(key, f"[{key}]")
    return around.named_tables(f"[{key}]") if around is not None else {}


def _given(kind: type[_Part], table: Table, **values: Any) -> _Part:
    """The part of the settings with what the file says; what it does not say holds by default."""
    table.done()
    return kind(**{key: value for key, value in values.items() if value is not None})


def _defaults(table: Table | None, own: dict[str, Table]) -> AgentDefaults:
    if table is None:
        return AgentDefaults()
    cli = table.text("cli")
    known = (*BUILT_IN, *own)
    if cli is not None and cli not in known:
        table.wrong("cli", unknown(cli, known, "CLI"))
    return _given(
        AgentDefaults,
        table,
        cli=cli,
        model=table.text("model"),
        timeout=table.duration("timeout"),
        parallel=table.count("parallel"),
        no_sign_of_life=table.duration("no_sign_of_life"),
    )


def _retention(table: Table | None) -> Retention:
    if table is None:
        return Retention()
    return _given(Retention, table, runs=table.count("runs"), bytes=table.size("bytes"), record=table.size("record"))


def _limits(table: Table | None) -> SizeLimits:
    if table is None:
        return SizeLimits()
    return _given(
        SizeLimits,
        table,
        output=table.size("output"),
        handover=table.size("handover"),
        approval=table.duration("approval"),
    )


def _cli(name: str, table: Table) -> CliSettings:
    fault = fault_of_name(name)
    if fault is not None:
        table.wrong(None, f"{quoted(name)} cannot name a CLI: it {fault}")
    own = ("command", "resume", "prompt", "fields")
    if name in BUILT_IN:
        for key in own:
            if key in table:
                table.wrong(key, f"`{key}` is for a CLI of your own; midwatch knows how {quoted(name)} is started")
    elif "command" not in table:
        near = nearest(name, BUILT_IN)
        meant = f"did you mean {quoted(near)}?" if near is not None else "a CLI of your own needs `command`"
        table.wrong(None, f"midwatch knows no CLI {quoted(name)}; {meant}")
    resume = table.texts("resume", of="arguments")
    if resume is not None and (fault := fault_of_resume(resume)) is not None:
        table.wrong("resume", f"`resume` of {table.name} {fault}")
    env = table.table("env", f"`env` of {table.name}")
    fields = table.table("fields", f"`fields` of {table.name}")
    return _given(
        CliSettings,
        table,
        program=table.text("program"),
        args=table.texts("args", of="arguments"),
        env=None if env is None else _texts(env, env.content),
        command=table.texts("command", of="arguments"),
        resume=resume,
        prompt=table.choice("prompt", PromptBy),
        fields=None if fields is None else _texts(fields, FIELDS),
    )


def _texts(table: Table, keys: Any) -> dict[str, str]:
    """The texts under these keys of a table that has no others."""
    found = {}
    for key in keys:
        value = table.text(key, empty=True)
        if value is not None:
            found[key] = value
    table.done()
    return found


def _price(table: Table) -> Price:
    return _given(
        Price,
        table,
        input=table.dollars("input", zero=True),
        output=table.dollars("output", zero=True),
        cache_read=table.dollars("cache_read", zero=True),
        cache_write=table.dollars("cache_write", zero=True),
    )


def _notices(table: Table | None) -> Notices:
    if table is None:
        return Notices()
    webhook = table.text("webhook")
    if webhook is not None and not webhook.startswith(("https://", "http://")):
        table.wrong("webhook", "`webhook` of [notices] must be an address that begins with https:// or http://")
    return _given(
        Notices,
        table,
        bell=table.flag("bell"),
        osc=table.flag("osc"),
        command=table.texts("command", of="a program and its arguments"),
        webhook=webhook,
    )


def _screen(table: Table | None) -> ScreenSettings:
    if table is None:
        return ScreenSettings()
    return _given(
        ScreenSettings,
        table,
        theme=table.text("theme"),
        mouse=table.flag("mouse"),
        motion=table.flag("motion"),
        ascii=table.flag("ascii"),
    )


def _keys(table: Table | None) -> dict[str, tuple[str, ...]]:
    if table is None:
        return {}
    found = {}
    for action, value in table.content.items():
        keys = table.texts(action, of="keys") if isinstance(value, list) else (table.text(action),)
        if keys is not None:
            found[action] = tuple(key for key in keys if key is not None)
    return found
