"""Which adapters there are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from harness.agents import adapter, names
from harness.agents.base import credential_in, fingerprint
from harness.cli_names import BUILT_IN


@pytest.mark.parametrize("name", names())
def test_every_adapter_answers_to_its_name(name: str) -> None:
    found = adapter(name)
    assert found.name == name


def test_a_workflow_may_name_exactly_what_there_is_an_adapter_for() -> None:
    assert names() == BUILT_IN


def test_another_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        adapter("clod")


def test_only_the_adapter_that_is_asked_for_is_imported() -> None:
    code = (
        "import sys; from harness.agents import adapter; adapter('command');"
        "assert 'harness.agents.command' in sys.modules; assert 'harness.agents.claude' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_empty_variable_is_no_credential() -> None:
    assert credential_in({"KEY": ""}, "KEY", provider="acme", method="api key") is None
    found = credential_in({"KEY": "k"}, "KEY", provider="acme", method="api key")
    assert found is not None
    assert found.key == f"acme:api key:KEY:{fingerprint('k')}"


def test_fingerprints_tell_parts_apart() -> None:
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    assert fingerprint("\udcff") != fingerprint("")
