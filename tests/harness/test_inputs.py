"""Filling in what a workflow asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.inputs import fill_inputs
from harness.workflow import Input, Workflow


def asking(*inputs: Input) -> Workflow:
    return Workflow(name="ship", path=Path("/ship.toml"), waves=(), digest="", inputs=inputs)


def test_given_default_and_empty() -> None:
    workflow = asking(
        Input(name="feature", prompt="What?"),
        Input(name="branch", prompt="Which?", default="main", required=False),
        Input(name="note", prompt="Anything?", required=False),
    )
    assert fill_inputs(workflow, {"feature": " a\nb "}) == {"feature": " a\nb ", "branch": "main", "note": ""}
    assert fill_inputs(workflow, {"feature": "x", "branch": ""})["branch"] == ""


def test_a_name_typed_in_another_spelling_is_the_same() -> None:
    workflow = asking(Input(name="café", prompt="?"))
    assert fill_inputs(workflow, {"cafe\N{COMBINING ACUTE ACCENT}": "x"}) == {"café": "x"}


@pytest.mark.parametrize(
    ("given", "name", "words"),
    [
        ({"feature": "x", "brnch": "main"}, "brnch", "no input 'brnch'; did you mean 'branch'"),
        ({}, "feature", "needs the input 'feature' .What should be built.*-i feature=…"),
        ({"feature": " \n"}, "feature", "needs the input 'feature'"),
        ({"feature": "x", "branch": "mian"}, "branch", "'branch' cannot be 'mian'; did you mean 'main'"),
        ({"feature": "x\0y"}, "feature", "NUL"),
    ],
)
def test_what_does_not_fit(given: dict[str, str], name: str, words: str) -> None:
    workflow = asking(
        Input(name="feature", prompt="What should be built?"),
        Input(name="branch", prompt="Which?", default="main", choices=("main", "next"), required=False),
    )
    with pytest.raises(InputError, match=words) as caught:
        fill_inputs(workflow, given)
    assert caught.value.name == name


def test_a_needed_input_may_have_a_default() -> None:
    workflow = asking(Input(name="branch", prompt="Which?", default="main", required=True))
    assert fill_inputs(workflow, {}) == {"branch": "main"}
    with pytest.raises(InputError, match="needs the input"):
        fill_inputs(workflow, {"branch": ""})


def test_a_workflow_that_asks_for_nothing() -> None:
    assert fill_inputs(asking(), {}) == {}
    with pytest.raises(InputError, match="it asks for none"):
        fill_inputs(asking(), {"x": "y"})
