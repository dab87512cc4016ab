"""Workflow files that are wrong: one sentence with the file, the line and the name that was meant."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import WorkflowError
from harness.workflow import load_workflow

WORKFLOWS = Path(__file__).parent / "workflows"

ONE = """
[[waves]]
name = "one"
[[waves.agents]]
name = "a"
role = "developer"
cli = "claude"
prompt = "Do it."
"""
TWO = """
[[waves]]
name = "two"
[[waves.agents]]
name = "b"
role = "reviewer"
cli = "claude"
"""
COMMAND = """
[[waves]]
name = "one"
[[waves.agents]]
name = "a"
role = "tester"
cli = "command"
"""
HERE = "#!"

# What each file says wrong, marked where the line of the error is, and words that the sentence has.
BROKEN: dict[str, tuple[str, ...]] = {
    "unknown key of the workflow": ('descripton = "x" #!\n' + ONE, "'descripton'", "mean 'description'"),
    "unknown table": (ONE + "[limit] #!\nparallel = 2\n", "'limit'", "mean 'limits'"),
    "unknown key of an input": ('[inputs.x]\ndefalt = "y" #!\n' + ONE, "'defalt'", "mean 'default'"),
    "unknown key of the defaults": ('[defaults]\nmodle = "y" #!\n' + ONE, "'modle'", "mean 'model'"),
    "unknown key of the limits": ("[limits]\nparalel = 3 #!\n" + ONE, "'paralel'", "mean 'parallel'"),
    "unknown key of a wave": (ONE.replace("[[waves.", 'on_fail = "stop" #!\n[[waves.'), "mean 'on_failure'"),
    "unknown key of an agent": (ONE + 'timout = "3m" #!\n', "'timout'", "agent 'a'", "mean 'timeout'"),
    "unknown key of a credential": (
        COMMAND + 'run = ["x"]\ncredential = { provider = "p", envv = "E" } #!\n',
        "'envv'",
        "mean 'env'",
    ),
    "unknown key that looks like none": (ONE + "zzzzzz = 1 #!\n", "'zzzzzz'", "'allow'", "or 'timeout'"),
    "unknown key with a control character": (ONE + '"a\\u001b[31m" = 1 #!\n', r"'a\x1b[31m'"),
    "text for a number": (ONE + 'max_turns = "60" #!\n', "must be a whole number, not text"),
    "fraction for a number": (ONE + "max_turns = 1.5 #!\n", "must be a whole number, not a decimal number"),
    "truth for a number": (ONE + "max_turns = true #!\n", "must be a whole number, not a true or false"),
    "number for text": ("description = 3 #!\n" + ONE, "must be text in quotes, not a number"),
    "number for a duration": (ONE + "timeout = 30 #!\n", '"30s", "10m" or "8h"', "not a number"),
    "text for truth": (ONE + 'situation = "no" #!\n', "must be true or false, not text"),
    "list for text": (ONE + 'model = ["x"] #!\n', "must be text in quotes, not a list"),
    "date for text": (ONE + "model = 2026-01-01 #!\n", "not a date or time"),
    "table for a wave": ("waves = { name = 'x' } #!\n", "list of tables", "[[waves]]"),
    "single brackets": (
        ONE.replace("[[waves]]", "[waves] #!").replace("[[waves.agents]]", "[waves.agents]"),
        "[[waves]]",
    ),
    "number for the waves": ("waves = 5 #!\n", "list of tables"),
    "number for the agents": ('[[waves]]\nname = "one"\nagents = 5 #!\n', "list of tables"),
    "single brackets within": (ONE.replace("[[waves.agents]]", "[waves.agents] #!"), "[[waves.agents]]"),
    "text for an input": ('[inputs]\nfeature = "what?" #!\n' + ONE, "must be a table", "[inputs.feature]"),
    "text in a list of waves": ('waves = [\n  "build", #!\n]\n', "[[waves]]"),
    "unknown role": (ONE.replace('"developer"', '"develper" #!'), "'develper'", "mean 'developer'"),
    "missing role": (ONE.replace('role = "developer"\n', "").replace("s.agents]]", "s.agents]] #!"), "needs `role`"),
    "unknown cli": (ONE.replace('"claude"', '"cluade" #!'), "'cluade'", "mean 'claude'"),
    "unknown cli of the defaults": ('[defaults]\ncli = "Codx" #!\n' + ONE, "'Codx'", "mean 'codex'"),
    "no cli at all": (
        ONE.replace('cli = "claude"\n', "").replace("s.agents]]", "s.agents]] #!"),
        "agent 'a' has no `cli`",
        "[defaults]",
    ),
    "unknown on_failure": (ONE.replace("[[waves.", 'on_failure = "halt" #!\n[[waves.'), "'continue' or 'stop'"),
    "unknown watch_death": ('[limits]\nwatch_death = "finsh" #!\n' + ONE, "'finsh'", "mean 'finish'"),
    "unknown output": (COMMAND + 'run = ["x"]\noutput = "report" #!\n', "'report'", "mean 'reports'"),
    "agent name used twice": (ONE + TWO.replace('"b"', '"a" #!') + 'prompt = "x"\n', "agent 'a' in wave 'one'"),
    "wave name used twice": (ONE + TWO.replace('"two"', '"one" #!') + 'prompt = "x"\n', "already a wave 'one'"),
    "one name in two spellings": (
        ONE.replace('"a"', '"é"') + TWO.replace('"b"', '"e\u0301" #!') + 'prompt = "x"\n',
        "already an agent 'é'",
    ),
    "key set twice": (ONE + 'prompt = "again" #!\n', "'waves.agents.prompt' a second time"),
    "table set twice": ("[limits]\nparallel = 1\n[defaults]\n[limits] #!\n" + ONE, "'limits' a second time"),
    "name with a slash": ('name = "a/b" #!\n' + ONE, "'a/b'", "'/'"),
    "name with a blank": (ONE.replace('"a"', '"a b" #!'), "a blank"),
    "name with a leading dot": (ONE.replace('"one"', '".one" #!'), "starts with '.'"),
    "name that is too long": (ONE.replace('"a"', f'"{"x" * 65}" #!'), "65 characters; 64 is the most"),
    "name with a sign": (ONE.replace('"a"', '"a😀" #!'), "'😀'"),
    "name with an invisible sign": (ONE.replace('"a"', '"a\\u200b" #!'), "U+200B"),
    "name of an input": ('[inputs."a b"] #!\nprompt = "x"\n' + ONE, "of an input", "a blank"),
    "empty name": (ONE.replace('"a"', '"" #!'), "`name` of an agent is empty"),
    "missing name of an agent": (
        ONE.replace('name = "a"\n', "").replace("s.agents]]", "s.agents]] #!"),
        "needs `name`",
    ),
    "missing name of a wave": (ONE.replace('name = "one"\n', "").replace("[[waves]]", "[[waves]] #!"), "needs `name`"),
    "no waves": ('description = "nothing to do" #!\n', "at least one wave", "[[waves]]"),
    "empty list of waves": ("waves = [] #!\n", "at least one wave"),
    "waves by another name": (ONE.replace("[[waves", "[[wave").replace("[[wave]]", "[[wave]] #!"), "mean 'waves'"),
    "agents by another name": (ONE.replace("[[waves.agents]]", "[[waves.agent]] #!"), "mean 'agents'"),
    "wave without agents": (ONE + '[[waves]] #!\nname = "two"\n', "wave 'two' has no agents", "[[waves.agents]]"),
    "wave with an empty list": ('[[waves]] #!\nname = "two"\nagents = []\n', "wave 'two' has no agents"),
    "missing prompt": (ONE + TWO.replace("s.agents]]", "s.agents]] #!"), "agent 'b' has no prompt", "`prompt_file`"),
    "empty prompt": (ONE.replace('"Do it."', '" \\n" #!'), "`prompt` of agent 'a' is empty"),
    "both prompts": (ONE + 'prompt_file = "x.md" #!\n', "both `prompt` and `prompt_file`"),
    "missing prompt file": (ONE + TWO + 'prompt_file = "promt.md" #!\n', "does not exist", "mean 'prompt.md'"),
    "prompt file that is a folder": (ONE + TWO + 'prompt_file = "folder" #!\n', "is a folder"),
    "prompt file that is empty": (ONE + TWO + 'prompt_file = "empty.md" #!\n', "is empty"),
    "prompt file that is huge": (ONE + TWO + 'prompt_file = "huge.md" #!\n', "larger than 1 MiB"),
    "prompt file that is a pipe": (ONE + TWO + 'prompt_file = "pipe" #!\n', "not an ordinary file"),
    "no program": (COMMAND.replace("s.agents]]", "s.agents]] #!"), "needs `run`", '["program", "argument"]'),
    "program as one text": (COMMAND + 'run = "pytest -q" #!\n', "must be a list", "not text"),
    "program that is empty": (COMMAND + "run = [] #!\n", "`run` of agent 'a' is empty"),
    "program without a name": (COMMAND + 'run = ["", "x"] #!\n', "empty program"),
    "number among the arguments": (COMMAND + 'run = [\n  "x",\n  3, #!\n]\n', "must be text in quotes, not a number"),
    "NUL among the arguments": (COMMAND + 'run = ["x", "\\u0000"] #!\n', "without NUL"),
    "program for a cli that has its own": (ONE + 'run = ["x"] #!\n', "`run` of agent 'a' means nothing", "'claude'"),
    "output of a cli that has its own": (ONE + 'output = "text" #!\n', '`cli = "command"`', "'claude'"),
    "resume of a text command": (COMMAND + 'run = ["x"]\nresume = ["x", "{{ session }}"] #!\n', '`output = "reports"`'),
    "resume without a session": (COMMAND + 'run = ["x"]\noutput = "reports"\nresume = ["x"] #!\n', "{{ session }}"),
    "resume with another name": (
        COMMAND + 'run = ["x"]\noutput = "reports"\nresume = ["x", "{{ sesion }}"] #!\n',
        "not {{ sesion }}",
    ),
    "a report agent votes by its verdict": (
        COMMAND + 'run = ["x"]\noutput = "reports"\nreject_on = [1] #!\n',
        "it votes by a Verdict heading",
    ),
    "zero rejects": (COMMAND + 'run = ["x"]\nreject_on = [0, 1] #!\n', "0 accepts"),
    "rejecting without a vote": (
        COMMAND.replace("tester", "writer") + 'run = ["x"]\nreject_on = [1] #!\n',
        "only a reviewer or tester",
    ),
    "credential without a provider": (COMMAND + 'run = ["x"]\ncredential = { env = "E" } #!\n', "needs `provider`"),
    "duration in words": (ONE + 'timeout = "half an hour" #!\n', "'half an hour'", '"30s", "10m" or "8h"'),
    "duration without a unit": ('[limits]\ndeadline = "30" #!\n' + ONE, "'30'", '"10m"'),
    "no duration": (ONE + 'timeout = "0s" #!\n', "longer than no time"),
    "negative duration": (ONE + 'timeout = "-5m" #!\n', "must be a duration"),
    "endless duration": ('[limits]\ndeadline = "99999h" #!\n' + ONE, "at most 366 days"),
    "negative budget": (ONE + "budget_usd = -1 #!\n", "from 0 to"),
    "no budget": (ONE + "budget_usd = 0 #!\n", "more than 0"),
    "infinite budget": ("[limits]\nbudget_usd = inf #!\n" + ONE, "from 0 to"),
    "budget that is no number": ("[limits]\nbudget_usd = nan #!\n" + ONE, "from 0 to"),
    "budget as text": ("[limits]\nbudget_usd = '5$' #!\n" + ONE, "a number of dollars, such as 2.5, not text"),
    "negative turns": (ONE + "max_turns = -3 #!\n", "1 or more"),
    "no agents at once": ("[limits]\nparallel = 0 #!\n" + ONE, "1 or more"),
    "default that is no choice": (
        '[inputs.x]\ndefault = "mian" #!\nchoices = ["main", "next"]\n' + ONE,
        "'mian'",
        "mean 'main'",
    ),
    "no choices": ("[inputs.x]\nchoices = [] #!\n" + ONE, "`choices` of input 'x' is empty"),
    "prompt with an unknown input": (
        (
            '[inputs.feature]\n[[waves]]\nname="o"\n[[waves.agents]]\nname="a"\nrole="writer"\ncli="pi"\n'
            'prompt = "{{ inputs.featur }}" #!\n'
        ),
        "'featur'",
        "mean 'feature'",
    ),
    "prompt with an unknown name": (ONE + TWO + 'prompt = "{{ agnets.a.output }}" #!\n', "'agnets'", "mean 'agents'"),
    "prompt with an unknown agent": (ONE + TWO + 'prompt = "{{ agents.aa.output }}" #!\n', "'aa'", "mean 'a'"),
    "prompt with an agent of its own wave": (
        ONE.replace("Do it.", "{{ agents.a.output }}").replace('}}"', '}}" #!'),
        "is in wave 'one' and not in an earlier one",
    ),
    "prompt with an agent in brackets": (ONE + TWO + "prompt = \"{{ agents['x'].output }}\" #!\n", "agent 'x'"),
    "prompt with an unknown part": (ONE + TWO + 'prompt = "{{ agents.a.outptu }}" #!\n', "'outptu'", "mean 'output'"),
    "prompt with a part of the run": (ONE + TWO + 'prompt = "{{ run.started }}" #!\n', "'run.started'", "only be 'id'"),
    "prompt with an unknown filter": (ONE + TWO + 'prompt = "{{ run | uper }}" #!\n', "filter 'uper'", "mean 'upper'"),
    "prompt with an unknown test": (
        ONE + TWO + 'prompt = "{% if run is defned %}{% endif %}" #!\n',
        "test 'defned'",
        "mean 'defined'",
    ),
    "prompt that loads another": (ONE + TWO + "prompt = \"{% include 'x' %}\" #!\n", "stands alone"),
    "prompt that is not closed": (ONE + TWO + 'prompt = "{{ run" #!\n', "not a valid template"),
    "prompt with an unknown tag": (ONE + TWO + 'prompt = "{% iff run %}" #!\n', "not a valid template", "iff"),
    "prompt with a fault on its third line": (
        ONE + TWO + 'prompt = """\none {{ run }}\ntwo\n{{ nobody }} #!\nfour"""\n',
        "'nobody'",
    ),
    "prompt in literal quotes": (ONE + TWO + "prompt = '''one\n\n{{ nobody }} #!\n'''\n", "'nobody'"),
    "prompt with joined lines": (
        ONE + TWO + 'prompt = """one \\\n   still one \\\n\n  and still\\nthree {# x #}\n{{ nobody }} #!\n"""\n',
        "'nobody'",
    ),
    "prompt that loops too deep to read": (
        ONE + TWO + f'prompt = "{{{{ {"(" * 3000} }}}}" #!\n',
        "not a valid template",
    ),
    "value without quotes": ("description = yes #!\n" + ONE, "not valid TOML"),
    "bracket that is not closed": ("[limits #!\n" + ONE, "not valid TOML"),
    "nothing behind the sign": ("description = #!\n" + ONE, "not valid TOML"),
    "list that is not closed": (COMMAND + 'run = [ #!\n"x",\n', "not valid TOML"),
    "quotes that are not closed": (
        ONE.replace("prompt", "model") + 'prompt = """x #!\n\n[limits]\n',
        "unterminated string",
    ),
    "brackets without end": ("x = " + "[" * 40 + " #!\n", "nests deeper"),
    "dots without end": ("a" + ".a" * 100_000 + " = 1 #!\n", "nests deeper"),
    "digits without end": ("description = 'x'\nmax = " + "9" * 5_000 + " #!\n", "more digits"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "folder").mkdir()
    (tmp_path / "prompt.md").write_text("Do it.")
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "huge.md").write_text("x" * (1 << 20) + "x")
    os.mkfifo(tmp_path / "pipe")
    yield tmp_path


@pytest.mark.parametrize("case", BROKEN)
def test_one_clear_error(folder: Path, case: str) -> None:
    text, *words = BROKEN[case]
    path = folder / "broken.toml"
    path.write_text(text)
    line = text[: text.index(HERE)].count("\n") + 1

    with pytest.raises(WorkflowError) as caught:
        load_workflow(path)

    error = caught.value
    assert (error.file, error.line) == (path, line), str(error)
    assert str(error).startswith(f"{path}:{line}: ")
    assert [word for word in words if word not in error.sentence] == [], str(error)
    assert "\n" not in str(error)
    assert "\x1b" not in str(error)


def test_there_are_enough_of_them() -> None:
    assert len(BROKEN) > 50
    assert all(text.count(HERE) == 1 for text, *_ in BROKEN.values())


def errors_of(path: Path, text: str) -> list[tuple[int | None, str]]:
    path.write_text(text)
    with pytest.raises(WorkflowError) as caught:
        load_workflow(path)
    return [(one.line, one.sentence) for one in caught.value.all]


def test_all_errors_of_the_file_are_told_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = 'nmae = "x"\n' + ONE.replace('"developer"', '"nobody"') + "zeal = 1\n[limits]\nparallel = 0\n"
    found = errors_of(tmp_path / "w.toml", text.replace("Do it.", "{{ inputs.nothing }}"))
    assert [line for line, _ in found] == [1, 7, 9, 10, 12]
    for (_, sentence), words in zip(found, ("'nmae'", "'nobody'", "'nothing'", "'zeal'", "`parallel`"), strict=True):
        assert words in sentence


@pytest.mark.parametrize("name", BROKEN)
def test_one_mistake_is_one_error(tmp_path: Path, name: str) -> None:
    found = errors_of(tmp_path / "w.toml", BROKEN[name][0].replace(HERE, ""))
    assert len(found) == 1, found


USES = TWO + 'prompt = "{{ agents.a.output }} {{ inputs.what }}"\n'
ASKS = '[inputs.what]\nprompt = "What?"\n'
FULL_COMMAND = COMMAND + 'run = ["x"]\noutput = "reports"\nresume = ["x", "{{ session }}"]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FULL_COMMAND.replace('"command"', '"comand"'), "mean 'command'"),
        (FULL_COMMAND.replace("cli =", "cil ="), "mean 'cli'"),
        ('[defaults]\ncli = "claude"\n' + FULL_COMMAND.replace("cli =", "cil ="), "mean 'cli'"),
        (FULL_COMMAND.replace('"reports"', '"report"'), "mean 'reports'"),
        (FULL_COMMAND.replace("output =", "outputs ="), "mean 'output'"),
        ('[defaults]\ncli = "comand"\n' + FULL_COMMAND.replace('cli = "command"', ""), "mean 'command'"),
        ("[defaults]\ncli = 5\n" + ONE.replace('cli = "claude"', ""), "must be text"),
        ('[defaults]\nclii = "claude"\n' + ONE.replace('cli = "claude"', ""), "mean 'cli'"),
        ('[default]\ncli = "claude"\n' + ONE.replace('cli = "claude"', ""), "mean 'defaults'"),
        (ASKS.replace("inputs", "input") + ONE + USES, "mean 'inputs'"),
        ('[inputs]\nwhat = "What?"\n' + ONE + USES, "must be a table"),
        ('inputs = "What?"\n' + ONE + USES, "must be a table"),
        (ASKS + ONE.replace('name = "a"', 'nam = "a"') + USES, "mean 'name'"),
        (ASKS + ONE.replace('name = "a"', "name = 5") + USES, "must be text"),
        (ASKS + ONE.replace("[[waves.agents]]", "[[waves.agent]]") + USES, "mean 'agents'"),
        (ASKS + ONE.replace("[[waves", "[[wave") + "\n" + USES, "mean 'waves'"),
        (ASKS + ONE.replace('"claude"', '"cluade"') + USES, "mean 'claude'"),
    ],
)
def test_a_mistake_has_no_false_ones_in_its_train(tmp_path: Path, text: str, words: str) -> None:
    found = errors_of(tmp_path / "w.toml", text)
    assert len(found) == 1 and words in found[0][1], found


def test_an_error_in_a_prompt_file_is_told_with_that_file(tmp_path: Path) -> None:
    with pytest.raises(WorkflowError, match=r"agent 'review'.*wave 'check'") as caught:
        load_workflow(WORKFLOWS / "broken" / "late.toml")
    assert (caught.value.file, caught.value.line) == ((WORKFLOWS / "broken" / "late.md").resolve(), 3)

    (tmp_path / "bad.md").write_bytes(b"fine\nnot \xff fine\n")
    path = tmp_path / "w.toml"
    path.write_text(TWO + 'prompt_file = "bad.md"\n')
    with pytest.raises(WorkflowError, match="UTF-8") as caught:
        load_workflow(path)
    assert (caught.value.file.name, caught.value.line) == ("bad.md", 2)


def test_the_example_with_a_typo_names_the_key_that_was_meant() -> None:
    with pytest.raises(
        WorkflowError, match=r"typo\.toml:10: there is no key 'promt' in agent 'api'; did you mean 'prompt'"
    ):
        load_workflow(WORKFLOWS / "broken" / "typo.toml")


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"description = 'x'\n\n# \xff\n", 3, "not UTF-8"),
        (b"# " + b"x" * (1 << 20), None, "larger than 1 MiB"),
        (b"", 1, "at least one wave"),
    ],
)
def test_files_that_are_no_text_to_begin_with(tmp_path: Path, content: bytes, line: int | None, words: str) -> None:
    path = tmp_path / "w.toml"
    path.write_bytes(content)
    with pytest.raises(WorkflowError, match=words) as caught:
        load_workflow(path)
    assert caught.value.line == line


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "locked.toml").write_text(ONE)
    for path, words in [
        (tmp_path, "is a folder"),
        (tmp_path / "pipe.toml", "not an ordinary file"),
        (tmp_path / "none.toml", "No such file"),
        (Path("/dev/zero"), "not an ordinary file"),
    ]:
        with pytest.raises(WorkflowError, match=words) as caught:
            load_workflow(path)
        assert caught.value.line is None


def test_a_stem_that_is_no_name_needs_another(tmp_path: Path) -> None:
    path = tmp_path / "my flow.toml"
    path.write_text(ONE)
    with pytest.raises(WorkflowError, match=r"'my flow' has a blank in it.*set `name`"):
        load_workflow(path)

    path.write_text('name = "my-flow"\n' + ONE)
    assert load_workflow(path).name == "my-flow"
