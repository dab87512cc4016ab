"""Workflow files that are right, read to the last key."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import WorkflowError
from harness.settings import AgentDefaults, CliSettings, Settings
from harness.workflow import Agent, Credential, Input, Limits, Output, load_workflow
from store.model import OnFailure, Role, WatchDeath

WORKFLOWS = Path(__file__).parent / "workflows"
HEAD = '[[waves]]\nname = "one"\n[[waves.agents]]\nname = "a"\nrole = "developer"\n'


def write(folder: Path, text: str, name: str = "w.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_the_workflow_of_the_contract_is_read_as_it_stands() -> None:
    workflow = load_workflow(WORKFLOWS / "ship.toml")

    assert (workflow.name, workflow.path) == ("ship", (WORKFLOWS / "ship.toml").resolve())
    assert workflow.description == "Build a feature, then have it checked"
    assert workflow.inputs == (Input(name="feature", prompt="What should be built?", multiline=True),)
    assert workflow.limits == Limits(
        budget=20_000_000_000, deadline=28_800, parallel=4, max_turns=400, watch_death=WatchDeath.STOP
    )
    assert [(wave.name, wave.on_failure, [agent.name for agent in wave.agents]) for wave in workflow.waves] == [
        ("build", OnFailure.CONTINUE, ["api", "ui"]),
        ("check", OnFailure.CONTINUE, ["tests", "review"]),
    ]
    assert workflow.agent("api") == Agent(
        name="api",
        role=Role.DEVELOPER,
        cli="claude",
        model="sonnet",
        prompt="Build {{ inputs.feature }} in src/api.",
        timeout=1_800,
        budget=2_500_000_000,
        max_turns=60,
    )
    ui = workflow.agent("ui")
    assert ui.prompt == (WORKFLOWS / "prompts" / "ui.md").read_text()
    assert ui.prompt_file == (WORKFLOWS / "prompts" / "ui.md").resolve()


def test_every_key_is_read() -> None:
    workflow = load_workflow(WORKFLOWS / "everything.toml")

    assert workflow.name == "every.thing_1"
    assert workflow.description == "Says every key there is,\nover two lines."
    assert workflow.inputs == (
        Input(name="branch", prompt="Which branch?", default="main", choices=("main", "next"), required=False),
        Input(name="größe", prompt="größe", required=False),
    )
    assert workflow.limits == Limits(
        budget=250_000_000, deadline=5_400, parallel=2, max_turns=9, watch_death=WatchDeath.FINISH
    )
    crawl = workflow.agent("crawl")
    assert crawl == Agent(
        name="crawl",
        role=Role.RESEARCHER,
        cli="command",
        prompt="Crawl {{ inputs.branch }}.\n",
        run=("./crawl", "--all"),
        output=Output.REPORTS,
        resume=("./crawl", "--resume", "{{ session }}"),
        credential=Credential(provider="acme", env="ACME_KEY"),
        timeout=0.5,
        no_sign_of_life=900,
        budget=1_000_000_000,
    )
    looks = workflow.agent("調査")
    assert (looks.cli, looks.model, looks.allow) == ("gemini", "flash", ("read", "grep"))
    assert (looks.situation, looks.reporting, looks.max_turns, looks.no_sign_of_life) == (False, False, 3, 120)
    assert workflow.agent("lint").reject_on == (1, 2)
    assert workflow.waves[0].on_failure is OnFailure.STOP


def test_a_model_by_default_is_for_the_cli_beside_it() -> None:
    """The contract's own example has a codex agent under `cli = "claude"`, `model = "sonnet"`."""
    workflow = load_workflow(WORKFLOWS / "ship.toml")

    assert workflow.agent("review").model == "sonnet"
    assert workflow.agent("ui").model is None
    assert workflow.agent("tests").model is None


def test_a_command_has_a_model_only_where_it_names_one(tmp_path: Path) -> None:
    head = '[defaults]\ncli = "command"\nmodel = "sonnet"\n' + HEAD + 'run = ["x"]\n'
    assert load_workflow(write(tmp_path, head)).agent("a").model is None
    assert load_workflow(write(tmp_path, head + 'model = "own"\n')).agent("a").model == "own"


def test_the_smallest_workflow_needs_no_prompt_and_no_defaults() -> None:
    workflow = load_workflow(WORKFLOWS / "smallest.toml")

    assert workflow.name == "smallest"
    assert workflow.agents == (Agent(name="hello", role=Role.WRITER, cli="command", run=("echo", "hello")),)


def test_the_settings_give_a_cli_and_know_more_of_them(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + 'prompt = "x"\n')
    with pytest.raises(WorkflowError, match="no `cli`"):
        load_workflow(path)

    own = Settings(defaults=AgentDefaults(cli="mine"), cli={"mine": CliSettings(command=("mine",))})

    assert load_workflow(path, own).agent("a").cli == "mine"
    assert load_workflow(write(tmp_path, HEAD + 'cli = "mine"\nprompt = "x"\n'), own).agent("a").cli == "mine"


@pytest.mark.parametrize("name", ["a", "Ship.v2", "_x-1", "größe", "調査", "हिन्दी", "ж" * 64, "1"])
def test_names_are_of_any_script(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, HEAD.replace('"a"', f'"{name}"') + 'cli = "pi"\nprompt = "x"\n', f"{name}.toml")
    workflow = load_workflow(path)

    assert (workflow.name, workflow.agents[0].name) == (name, name)


def test_one_name_typed_in_two_ways_is_one_name(tmp_path: Path) -> None:
    """'é' may be one character or two; what is recorded and compared is the one."""
    text = HEAD.replace('"a"', '"cafe\N{COMBINING ACUTE ACCENT}"') + 'cli = "pi"\nprompt = "x"\n'
    assert load_workflow(write(tmp_path, text)).agents[0].name == "café"


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    text = HEAD + 'cli = "pi"\nprompt_file = "p.md"\n'
    (tmp_path / "p.md").write_bytes(b"\xef\xbb\xbfDo it.")
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load_workflow(path).agent("a").prompt == "Do it."

    path.write_bytes((text + "promt = 1\n").replace("\n", "\r\n").encode())
    with pytest.raises(WorkflowError) as caught:
        load_workflow(path)
    assert caught.value.line == 8


def test_a_link_has_the_identity_of_what_it_points_to(tmp_path: Path) -> None:
    shutil.copytree(WORKFLOWS, tmp_path / "there")
    link = tmp_path / "linked.toml"
    link.symlink_to(tmp_path / "there" / "ship.toml")
    workflow = load_workflow(link)

    assert workflow.path == (tmp_path / "there" / "ship.toml").resolve()
    assert workflow.agent("ui").prompt_file == (tmp_path / "there" / "prompts" / "ui.md").resolve()


def test_the_digest_is_of_the_file_and_of_its_prompt_files(tmp_path: Path) -> None:
    shutil.copytree(WORKFLOWS, tmp_path, dirs_exist_ok=True)
    first = load_workflow(tmp_path / "ship.toml").digest
    assert first == load_workflow(tmp_path / "ship.toml").digest
    assert first == load_workflow(WORKFLOWS / "ship.toml").digest

    prompt = (tmp_path / "prompts" / "ui.md").read_text()
    (tmp_path / "prompts" / "ui.md").write_text(prompt.replace("changed", "touched"))
    second = load_workflow(tmp_path / "ship.toml").digest
    with (tmp_path / "ship.toml").open("a") as opened:
        opened.write("# a word more\n")

    assert len({first, second, load_workflow(tmp_path / "ship.toml").digest}) == 3


def test_listing_does_not_look_into_templates(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + 'cli = "pi"\nprompt = "{{ nothing }}"\n')
    assert load_workflow(path, prompts=False).agent("a").prompt == "{{ nothing }}"
    with pytest.raises(WorkflowError):
        load_workflow(path)


def test_what_is_imported_is_what_is_needed() -> None:
    """Start-up counts: naming the module brings no decoder, listing a workflow no template engine."""
    code = (
        "import sys; from pathlib import Path; from harness.workflow import load_workflow\n"
        "heavy = ('jinja2', 'tomllib', 'textual', 'asyncio', 'hashlib', 'platformdirs')\n"
        "print([name for name in heavy if name in sys.modules])\n"
        f"load_workflow(Path({str(WORKFLOWS / 'ship.toml')!r}), prompts=False)\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['tomllib', 'hashlib']"]
