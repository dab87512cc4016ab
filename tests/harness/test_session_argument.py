"""`{{ session }}` in the arguments of a resume."""

from __future__ import annotations

import pytest

from harness.session_argument import fault_of_resume, with_session


def test_the_exact_id_takes_its_place() -> None:
    arguments = ("prog", "--resume={{ session }}", "{{session}}", r"{{  session }}\1")
    assert fault_of_resume(arguments) is None
    assert with_session(arguments, r"a\1b c") == ("prog", r"--resume=a\1b c", r"a\1b c", r"a\1b c\1")


@pytest.mark.parametrize(
    "arguments", [("prog",), ("prog", "--last"), ("prog", "{{ sesion }}"), ("{{ session }}", "{{ x }}")]
)
def test_anything_else_is_told(arguments: tuple[str, ...]) -> None:
    assert "{{ session }}" in (fault_of_resume(arguments) or "")
