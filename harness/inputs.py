"""Filling in what a workflow asks for at launch."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import InputError
from harness.names import normal_name
from harness.nearest import quoted, suggestion
from harness.workflow import Input, Workflow


def fill_inputs(workflow: Workflow, given: Mapping[str, str]) -> dict[str, str]:
    """The value of every input, as given or by default; one that is neither needed nor given is empty.

    Raises `InputError` for a name that the workflow does not ask for, a value that is not among the choices, and a
    needed input that is missing or blank.
    """
    known = [one.name for one in workflow.inputs]
    values = {}
    for name, value in given.items():
        if normal_name(name) not in known:
            asked = suggestion(name, known) if known else "it asks for none"
            raise InputError(name, f"workflow {quoted(workflow.name)} has no input {quoted(name)}; {asked}")
        values[normal_name(name)] = value
    return {one.name: _value(workflow, one, values.get(one.name)) for one in workflow.inputs}


def _value(workflow: Workflow, asked: Input, given: str | None) -> str:
    value = asked.default if given is None else given
    if value is None or not value.strip():
        if asked.required:
            raise InputError(
                asked.name,
                f"workflow {quoted(workflow.name)} needs the input {quoted(asked.name)} ({asked.prompt}); "
                f"give it with -i {asked.name}=…",
            )
        return value or ""
    if any("\ud800" <= sign <= "\udfff" for sign in value):  # what Python makes of bytes that are no UTF-8
        raise InputError(asked.name, f"the input {quoted(asked.name)} is not text in UTF-8")
    if "\0" in value:
        raise InputError(asked.name, f"the input {quoted(asked.name)} has a NUL character in it")
    if asked.choices and value not in asked.choices:
        raise InputError(
            asked.name,
            f"the input {quoted(asked.name)} cannot be {quoted(value)}; {suggestion(value, asked.choices)}",
        )
    return value
