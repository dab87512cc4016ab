"""What an agent is handed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.errors import HandoverTooLarge, PromptError
from harness.prompt import Output, PriorAgent, render

LIMIT = 1 << 20


def rendered(
    template: str,
    *,
    inputs: Mapping[str, str] | None = None,
    agents: Mapping[str, PriorAgent] | None = None,
    situation: str = "",
    reporting: str = "",
    limit: int = LIMIT,
) -> str:
    return render(
        agent="me",
        template=template,
        inputs=inputs or {},
        workflow="ship",
        run="r123",
        agents=agents or {},
        situation=situation,
        reporting=reporting,
        limit=limit,
    )


def answered(folder: Path, content: bytes, limit: int = LIMIT) -> PriorAgent:
    (folder / "api.1.answer").write_bytes(content)
    output = Output(agent="api", path=folder / "api.1.answer", limit=limit)
    return PriorAgent(state="done", output=output, files=("a.py", "b.py"))


def test_the_three_parts_stand_a_blank_line_apart() -> None:
    assert rendered("Do it.\n", situation="So far.\n\n", reporting="\nSay so.") == "So far.\n\nDo it.\n\nSay so.\n"
    assert rendered("\n  Do it.") == "  Do it.\n"


def test_what_a_prompt_can_name(tmp_path: Path) -> None:
    template = (
        "{{ workflow }} {{ workflow.name }} {{ run }} {{ run.id }} {{ inputs.what }} {{ inputs['größe'] }}\n"
        "{{ agents.api.state }}: {{ agents['api'].output }} ({{ agents.api.files | join(', ') }})\n"
        "{% for name in agents %}{{ loop.index }} {{ name }} {{ agents[name].state | upper }} {% endfor %}"
        "{% if 'api' in agents and agents | length == 2 %}both{% endif %}"
    )
    agents = {"api": answered(tmp_path, b"the answer"), "ui": PriorAgent(state="failed", output="it broke")}
    assert rendered(template, inputs={"what": "x", "größe": "y"}, agents=agents) == (
        "ship ship r123 r123 x y\ndone: the answer (a.py, b.py)\n1 api DONE 2 ui FAILED both\n"
    )


@pytest.mark.parametrize("name", ["items", "keys", "values", "get", "copy", "output", "pop"])
def test_every_name_is_free_for_a_thing(name: str) -> None:
    agents = {name: PriorAgent(state="done", output="!")}
    assert (
        rendered(f"{{{{ inputs.{name} }}}}{{{{ agents.{name}.output }}}}", inputs={name: "?"}, agents=agents) == "?!\n"
    )


def test_text_is_left_as_it_is_written() -> None:
    text = "a < b & 'c' \"d\" {not} % # \\n\n\n  indented\n"
    assert rendered(text) == text
    assert rendered(text + "{{ inputs.x }}", inputs={"x": "<{{ run }}>"}) == text + "<{{ run }}>\n"


def test_an_output_is_read_only_when_it_is_used(tmp_path: Path) -> None:
    huge = answered(tmp_path, b"x" * 11, limit=10)
    locked = PriorAgent(state="done", output=Output(agent="dir", path=tmp_path, limit=10))
    agents = {"api": huge, "dir": locked}
    assert (
        rendered("{{ agents.api.state }} {% if run == '' %}{{ agents.api.output }}{% endif %}", agents=agents)
        == "done \n"
    )
    with pytest.raises(PromptError, match="output of 'dir', which cannot be read"):
        rendered("{{ agents.dir.output }}", agents=agents)


def test_what_is_no_utf8_in_an_output_is_shown_as_that(tmp_path: Path) -> None:
    assert rendered("{{ agents.api.output }}", agents={"api": answered(tmp_path, b"a\xff\x00b")}) == "a\ufffd\x00b\n"


def test_an_agent_that_left_no_answer_has_an_empty_one(tmp_path: Path) -> None:
    nothing = PriorAgent(state="not_started", output=Output(agent="x", path=tmp_path / "nowhere", limit=1))
    assert rendered("[{{ agents.x.output }}]", agents={"x": nothing}) == "[]\n"


@pytest.mark.parametrize("loop", ["", "{% for a in [1] %}{% for b in [1] %}{% endfor %}{% endfor %}"])
def test_an_output_over_the_limit_is_refused_never_cut(tmp_path: Path, loop: str) -> None:
    """In this process and in one apart: the sentence names the agents and both sizes."""
    agents = {"api": answered(tmp_path, b"x" * 3000, limit=2048)}
    with pytest.raises(
        HandoverTooLarge, match=r"of 'me' is refused: the output of 'api'.* is 2.9 KiB, .* be 2 KiB"
    ) as caught:
        rendered("{{ agents.api.output }}" + loop, agents=agents, limit=2048)
    assert (caught.value.agent, caught.value.size, caught.value.limit) == ("me", 3000, 2048)

    exact = {"api": answered(tmp_path, b"x" * 2048, limit=2048)}
    assert len(rendered("{{ agents.api.output }}" + loop, agents=exact, limit=2048)) == 2049


def test_each_part_has_the_limit(tmp_path: Path) -> None:
    assert len(rendered("x" * 10, situation="y" * 10, reporting="z" * 10, limit=10)) == 35
    for parts in (
        {"template": "x" * 11},
        {"template": "x", "situation": "y" * 11},
        {"template": "x", "reporting": "é" * 6},
    ):
        with pytest.raises(HandoverTooLarge) as caught:
            rendered(limit=10, **parts)  # type: ignore[arg-type]
        assert caught.value.limit == 10
    two = {"api": answered(tmp_path, b"x" * 6, limit=10)}
    with pytest.raises(HandoverTooLarge, match="its text is more than"):
        rendered("{{ agents.api.output }}{{ agents.api.output }}", agents=two, limit=10)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("one\n{{ nobody }}", r"'nobody' is undefined \(its line 2\)"),
        ("one\n{{ inputs['featur'] }}", r"the input 'featur'; did you mean 'feature'\? \(its line 2\)"),
        ("{{ inputs }}", "writes out inputs as a whole"),
        ("{{ agents.api }}", "as a whole; it can be 'output', 'state' or 'files'"),
        ("{{ agents.api.outptu }}", "has no attribute 'outptu'"),
        ("{{ run.__class__ }}", "unsafe"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{% set x = namespace() %}{{ x.__init__.__globals__ }}", "no attribute '__init__'"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ run + 1 }}", "can only concatenate str"),
        ("{{ lipsum(5) }}", "'lipsum' is undefined"),
        ("{% include '/etc/passwd' %}", "cannot be rendered"),
        ("{{ run", r"not a valid template: .* \(its line 1\)"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
    ],
)
def test_what_cannot_be_rendered_is_one_sentence(template: str, words: str) -> None:
    with pytest.raises(PromptError, match=words) as caught:
        rendered(template, inputs={"feature": "x"}, agents={"api": PriorAgent(state="done")})
    assert str(caught.value).startswith("the prompt of 'me' ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 10 ** 10 }}",
        "{{ 10 ** 5000 }}",
        "{{ 'x' | center(10 ** 10) }}",
        "{{ '%10000000000d' % 1 }}",
        "{% set x = namespace(v='xxxxxxxxxx') %}{% for i in range(40) %}{% set x.v = x.v ~ x.v %}{% endfor %}",
    ],
    ids=["loops", "repeats", "powers", "centres", "formats", "doubles"],
)
def test_a_prompt_that_would_compute_for_ever_or_fill_the_memory_is_ended(template: str) -> None:
    with pytest.raises(PromptError, match=r"computes for longer than|more memory than a prompt may|too large|Exceeds"):
        rendered(template)


def test_a_prompt_that_fills_the_memory_does_not_get_much_of_it() -> None:
    code = (
        "import resource; from harness.errors import PromptError; from harness.prompt import render\n"
        'template = \'{% set x = namespace(v=1000 * "x") %}{% for i in range(99) %}'
        "{% set x.v = x.v ~ x.v %}{% endfor %}'\n"
        "try: render(agent='a', template=template, inputs={}, workflow='w', run='r', agents={}, limit=1 << 20)\n"
        "except PromptError: print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 700


def test_a_prompt_that_writes_for_ever_is_ended_at_the_limit() -> None:
    with pytest.raises(HandoverTooLarge, match="its text is more than 1 MiB"):
        rendered("{% for a in range(99999) %}{% for b in range(99999) %}more and more {% endfor %}{% endfor %}")


def test_a_program_of_a_prompt_gives_the_same_text(tmp_path: Path) -> None:
    """Macros, arithmetic, calls, filters with arguments and loops in loops are all of Jinja2."""
    template = (
        "{% macro told(name) %}<{{ name }}: {{ agents[name].output.split() | join('-') }}>{% endmacro %}"
        "{% for name in agents %}{% for file in agents[name].files %}{{ file }}{{ 1 + loop.index * 2 }} {% endfor %}"
        "{{ told(name) }}{% endfor %}\n{{ inputs.x | replace('a', 'b') | indent(2, true) }} {{ run[:2] }}é\udcff"
    )
    agents = {"api": answered(tmp_path, b"one two\xff"), "ui": PriorAgent(state="failed", output="oh no")}
    assert rendered(template, inputs={"x": "aa"}, agents=agents) == (
        "a.py3 b.py5 <api: one-two\ufffd><ui: oh-no>\n  bb r1é\udcff\n"
    )


def test_plain_text_needs_no_template_engine() -> None:
    code = (
        "import sys; from harness.prompt import render\n"
        "print(render(agent='a', template='{Do it.}', inputs={}, workflow='w', run='r', agents={}, limit=99), end='')\n"
        "print([name for name in ('jinja2', 'asyncio', 'textual', 'subprocess') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{Do it.}\n[]\n"
