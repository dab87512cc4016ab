"""What holds for the way every CLI is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.agents import adapter, names
from harness.agents.base import Brief

BUILT_IN = [name for name in names() if adapter(name).program]
BRIEF = Brief(
    prompt="secret plan\nof two lines",
    attempt_session="11111111-1111-4111-8111-111111111111",
    prompt_file=Path("/private/prompt"),
    usage_file=Path("/private/usage"),
)


@pytest.mark.parametrize("cli", BUILT_IN)
def test_the_prompt_is_in_its_file_and_nowhere_else(cli: str) -> None:
    for brief in (BRIEF, replace(BRIEF, session="s1"), replace(BRIEF, prompt="secret " * 100_000)):
        invocation = adapter(cli).invoke(brief)
        assert invocation.stdin == brief.prompt
        assert not any("secret" in word for word in (*invocation.argv, *invocation.env.values()))


@pytest.mark.parametrize("cli", BUILT_IN)
def test_the_program_and_its_arguments_stand_first(cli: str) -> None:
    argv = adapter(cli).invoke(replace(BRIEF, program="/opt/wrapper", args=("--over", "there"))).argv
    assert argv[:3] == ("/opt/wrapper", "--over", "there")
    assert adapter(cli).invoke(BRIEF).argv[0] == adapter(cli).program


@pytest.mark.parametrize("cli", [name for name in BUILT_IN if adapter(name).resumes])
def test_a_session_is_taken_up_by_its_exact_id_alone(cli: str) -> None:
    invocation = adapter(cli).invoke(replace(BRIEF, session="s1"))
    assert invocation.session == "s1"
    assert any(word == "s1" or word.endswith("=s1") for word in invocation.argv)
    assert not any(BRIEF.attempt_session in word for word in invocation.argv)


@pytest.mark.parametrize("cli", BUILT_IN)
def test_a_fresh_session_has_the_id_we_chose_where_it_lets_us(cli: str) -> None:
    invocation = adapter(cli).invoke(BRIEF)
    chosen = any(BRIEF.attempt_session in word for word in invocation.argv)
    assert chosen == adapter(cli).chooses_session
    assert invocation.session == (BRIEF.attempt_session if chosen else None)


@pytest.mark.parametrize("cli", BUILT_IN)
def test_a_model_is_named_only_when_the_workflow_names_one(cli: str) -> None:
    assert any("a-model" in word for word in adapter(cli).invoke(replace(BRIEF, model="a-model")).argv)
    assert "None" not in adapter(cli).invoke(BRIEF).argv


@pytest.mark.parametrize("cli", BUILT_IN)
def test_it_says_what_it_was_tested_on_or_that_it_was_not(cli: str) -> None:
    assert adapter(cli).tested or any("never" in limit for limit in adapter(cli).limits)
    assert all(limit.endswith(".") for limit in adapter(cli).limits)


@pytest.mark.parametrize("cli", BUILT_IN)
def test_an_environment_with_nothing_in_it_has_no_credential_to_tell(cli: str) -> None:
    assert adapter(cli).credential({}) is None
