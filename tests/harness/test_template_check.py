"""What is wrong with a template, found without rendering it."""

from __future__ import annotations

import re

import pytest

from harness.template import environment, is_simple, parse
from harness.template_check import Fault, faults_of_template

WAVES = {"api": "build", "a-b": "build", "review": "check"}


def faults(source: str) -> list[Fault]:
    return faults_of_template(source, inputs=["feature", "größe"], earlier=["api", "a-b"], waves=WAVES)


@pytest.mark.parametrize(
    "source",
    [
        "{{ inputs.feature }} {{ inputs['größe'] }} {{ inputs.feature.strip()[:3] }}",
        "{{ agents.api.output }} {{ agents['a-b'].state }} {{ agents.api['files'] | join(', ') }}",
        "{% for name in agents %}{{ loop.index }} {{ agents[name].output }}{% endfor %}",
        "{% set x = inputs.feature %}{{ x }} {% set inputs = {'z': 1} %}",
        "{% for inputs in [{'z': 1}] %}{{ inputs.z }}{% endfor %}",
        "{% macro m(a, b=1) %}{{ a }}{{ b }}{{ caller() }}{{ varargs }}{% endmacro %}{{ m(1) }}",
        "{% call(x) m() %}{{ x }}{% endcall %}{% macro m() %}{{ caller(1) }}{% endmacro %}",
        "{% set n = namespace(x=1) %}{% set n.x = 2 %}{{ range(3) | list }} {{ dict(a=1).a }}",
        "{% with a = 1 %}{{ a }}{% endwith %}{% filter upper %}x{% endfilter %}{# {{ nobody }} #}",
        "{{ workflow }} {{ workflow.name.title() }} {{ run.id }} {% raw %}{{ nobody }}{% endraw %}",
        "{% if run is defined and true and not false and none is none %}{% endif %}",
    ],
)
def test_what_is_right(source: str) -> None:
    assert faults(source) == []


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("\n\n{{ agents.review.output }}", 3, "'review', which is in wave 'check' and not in an earlier one"),
        ("{{ agents.a-b.output }}", 1, r"the agent 'a', .*write agents\['a-b'\]"),
        ("{{ inputs.Feature }}", 1, "'Feature', .*did you mean 'feature'"),
        ("{% for x in [1] %}\n{{ y }}{% endfor %}", 2, "'y', which is not known here"),
        ("{{ agents['api'].outptu }}", 1, "'outptu'; did you mean 'output'"),
        ("{{ agents.api.output | uper }}\n{{ nobody }}", 1, "filter 'uper'.*did you mean 'upper'"),
        ("{% extends 'x' %}", 1, "stands alone"),
        ("{{ lipsum() }}", 1, "'lipsum'"),
        ("{{ workflow.description }}", 1, "'workflow.description', which does not exist; it can only be 'name'"),
    ],
)
def test_what_is_wrong(source: str, line: int, words: str) -> None:

    found = faults(source)
    assert found[0][0] == line
    assert re.search(words, found[0][1]), found


@pytest.mark.parametrize("source", ["{{ 'x' * 10 ** 12 }}", "{{ 'x' | center(10 ** 12) }}", "{{ 9 ** 9 ** 9 ** 9 }}"])
def test_looking_computes_nothing(source: str) -> None:
    """Jinja2's own search for names folds constants on its way: these would fill the memory of whoever looks."""
    assert faults(source) == []


@pytest.mark.parametrize(
    ("source", "simple"),
    [
        ("{{ inputs.x }} {% if run == 'a' or not inputs.x %}b{% endif %}{{ agents.a.output[:9] }}", True),
        ("{% for f in agents.a.files %}{{ f }}{{ loop.index }}{% endfor %}", True),
        ("{{ agents.a.files | join(', ') }} {{ inputs.x | default('y') | upper }}", True),
        ("{{ 'a' * 3 }}", False),
        ("{{ range(3) }}", False),
        ("{% for a in agents %}{% for b in agents %}{% endfor %}{% endfor %}", False),
        ("{% for a in agents %}{% if a %}{% for b in agents %}{% endfor %}{% endif %}{% endfor %}", False),
        ("{% for a in agents.a.output %}{% if agents.a.output | upper %}{% endif %}{% endfor %}", False),
        ("{% for a in agents if agents.a.output == 'x' %}{% endfor %}", False),
        ("{% for a in [1, 2] recursive %}{{ loop([1]) }}{% endfor %}", False),
        ("{% set x = x ~ x %}", False),
        ("{{ inputs.x | center(99) }}", False),
        ("{{ inputs.x | replace('', 'xxxxxxxx') }}", False),
        ("{{ inputs.x | join('x' * 99) }}", False),
        ("{{ inputs.x | join('xxxxxxxxxxxxxxxxx') }}", False),
        ("{{ inputs.x | join('ab') | join('ab') }}", False),
        ("{{ inputs.x | tojson }}", False),
        ("{% macro m() %}{% endmacro %}", False),
        pytest.param("{{ run }}" * 600, False, id="long"),
    ],
)
def test_what_may_be_rendered_in_the_watch_itself(source: str, simple: bool) -> None:
    assert is_simple(parse(source, environment())) is simple
