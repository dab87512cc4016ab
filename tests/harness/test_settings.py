"""The person's settings."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from harness.errors import SettingsError
from harness.settings import (
    AgentDefaults,
    CliSettings,
    Notices,
    Price,
    PromptBy,
    Retention,
    ScreenSettings,
    Settings,
    SizeLimits,
    load_settings,
)

HERE = "#!"
EVERYTHING = """
[defaults]
cli = "mine"
model = "sonnet"
timeout = "2h"
parallel = 3
no_sign_of_life = "5m"

[retention]
runs = 10
bytes = "1GiB"
record = "1MiB"

[limits]
output = "5MB"
handover = "2MiB"
approval = "1h"

[cli.claude]
program = "/opt/claude"
args = ["--settings", ""]
env = { ANTHROPIC_BASE_URL = "http://localhost:1", EMPTY = "" }

[cli.mine]
command = ["mine", "-p"]
resume = ["mine", "--session", "{{ session }}"]
prompt = "file"
[cli.mine.fields]
session = "$.id"
cost_usd = "$.cost"

[prices."claude-sonnet-4"]
input = 3
output = 15.0
cache_read = 0.3
[prices.local]
input = 0
output = 0

[notices]
bell = false
osc = false
command = ["notify-send", "midwatch"]
webhook = "https://example.org/hook"

[screen]
theme = "nord"
mouse = false
motion = true
ascii = true

[keys]
stop = "S"
"help" = ["?", "f1"]
"""


def read(folder: Path, text: str) -> Settings:
    path = folder / "config.toml"
    path.write_text(text)
    return load_settings(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, EVERYTHING) == Settings(
        defaults=AgentDefaults(cli="mine", model="sonnet", timeout=7_200, parallel=3, no_sign_of_life=300),
        retention=Retention(runs=10, bytes=1 << 30, record=1 << 20),
        limits=SizeLimits(output=5_000_000, handover=2 << 20, approval=3_600),
        cli={
            "claude": CliSettings(
                program="/opt/claude",
                args=("--settings", ""),
                env={"ANTHROPIC_BASE_URL": "http://localhost:1", "EMPTY": ""},
            ),
            "mine": CliSettings(
                command=("mine", "-p"),
                resume=("mine", "--session", "{{ session }}"),
                prompt=PromptBy.FILE,
                fields={"session": "$.id", "cost_usd": "$.cost"},
            ),
        },
        prices={
            "claude-sonnet-4": Price(input=3_000_000_000, output=15_000_000_000, cache_read=300_000_000),
            "local": Price(input=0, output=0),
        },
        notices=Notices(bell=False, osc=False, command=("notify-send", "midwatch"), webhook="https://example.org/hook"),
        screen=ScreenSettings(theme="nord", mouse=False, motion=True, ascii=True),
        keys={"stop": ("S",), "help": ("?", "f1")},
    )


def test_what_holds_unless_said(tmp_path: Path) -> None:
    settings = read(tmp_path, "")
    assert settings == Settings()
    assert (settings.defaults.timeout, settings.defaults.parallel) == (3_600, 8)
    assert settings.defaults.no_sign_of_life == 1_800
    assert settings.retention == Retention(runs=500, bytes=2 << 30, record=256 << 20)
    assert settings.limits == SizeLimits(output=1 << 30, handover=1 << 20, approval=1_800)
    assert (settings.notices.bell, settings.notices.osc) == (True, True)


def test_a_persons_own_cli_is_known_beside_the_others(tmp_path: Path) -> None:
    clis = read(tmp_path, EVERYTHING).clis
    assert clis[0] == "claude"
    assert clis[-1] == "mine"
    assert len(set(clis)) == len(clis)


BROKEN = {
    "unknown table": ("[retenton] #!\n", "'retenton'", "mean 'retention'"),
    "unknown key": ("[limits]\nhandoff = '1MiB' #!\n", "'handoff'", "mean 'handover'"),
    "unknown key of the screen": ("[screen]\ntheem = 'x' #!\n", "mean 'theme'"),
    "unknown key of a cli": ("[cli.claude]\nprogramme = 'x' #!\n", "mean 'program'"),
    "unknown key of a price": ("[prices.x]\ninputs = 1 #!\n", "mean 'input'"),
    "unknown field": ("[cli.x]\ncommand = ['x']\n[cli.x.fields]\nsesion = '$.id' #!\n", "mean 'session'"),
    "number for a size": ("[retention]\nbytes = 1000 #!\n", "must be a size", "not a number"),
    "size without a unit": ("[retention]\nbytes = '1000' #!\n", "'1000'", '"1MiB" or "2GiB"'),
    "no runs": ("[retention]\nruns = 0 #!\n", "1 or more"),
    "duration": ("[limits]\napproval = '30' #!\n", "must be a duration"),
    "unknown cli by default": ("[defaults]\ncli = 'clade' #!\n", "'clade'", "mean 'claude'"),
    "misspelt cli": ("[cli.cluade] #!\nprogram = 'x'\n", "'cluade'", "mean 'claude'"),
    "own cli without a command": ("[cli.xyzzy] #!\nprogram = 'x'\n", "needs `command`"),
    "command of a cli that has its own": ("[cli.claude]\ncommand = ['x'] #!\n", "midwatch knows how 'claude'"),
    "resume without a session": ("[cli.x]\ncommand = ['x']\nresume = ['x', '--last'] #!\n", "{{ session }}"),
    "way of the prompt": ("[cli.x]\ncommand = ['x']\nprompt = 'sdtin' #!\n", "mean 'stdin'"),
    "number in an environment": ("[cli.claude]\nenv = { X = 1 } #!\n", "must be text"),
    "negative price": ("[prices.x]\ninput = -1 #!\n", "from 0 to"),
    "webhook": ("[notices]\nwebhook = 'ftp://x' #!\n", "https://"),
    "truth": ("[notices]\nbell = 'no' #!\n", "true or false"),
    "key": ("[keys]\nstop = 3 #!\n", "must be text"),
    "not TOML": ("[screen]\ntheme = nord #!\n", "not valid TOML"),
    "set twice": ("[screen]\n[keys]\n[screen] #!\n", "'screen' a second time"),
    "name of a cli": ("[cli.'a b'] #!\ncommand = ['x']\n", "cannot name a CLI"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_one_clear_error(tmp_path: Path, case: str) -> None:
    text, *words = BROKEN[case]
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, text)
    error = caught.value
    assert (error.file, error.line) == (tmp_path / "config.toml", text[: text.index(HERE)].count("\n") + 1), str(error)
    assert [word for word in words if word not in error.sentence] == [], str(error)


def test_a_file_that_is_there_and_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path, tmp_path / "gone.toml"):
        with pytest.raises(SettingsError):
            load_settings(path)


def test_without_a_file_nothing_is_imported_to_read_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from harness.settings import Settings, load_settings\n"
        f"assert load_settings(Path({str(tmp_path / 'nowhere' / 'config.toml')!r})) == Settings()\n"
        "print([name for name in ('tomllib', 'tomlkit', 'msgspec', 'harness.errors') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def parts_of(kind: type[Any]) -> set[type[Any]]:
    found = {kind}
    for hint in get_type_hints(kind).values():
        for one in (hint, *getattr(hint, "__args__", ())):
            if is_dataclass(one) and isinstance(one, type):
                found |= parts_of(one)
    return found


def test_every_setting_says_what_it_is() -> None:
    source = Path(sys.modules[Settings.__module__].__file__ or "").read_text().splitlines()
    kinds = parts_of(Settings) - {Settings}
    assert len(kinds) == 7
    for kind in kinds:
        for field in fields(kind):
            (index,) = [
                number
                for number, line in enumerate(source)
                if line.startswith(f"    {field.name}: ") and f"class {kind.__name__}:" in enclosing(source, number)
            ]
            assert source[index + 1].startswith('    """'), field.name


def enclosing(source: list[str], number: int) -> str:
    return next(line for line in reversed(source[:number]) if line.startswith("class "))
