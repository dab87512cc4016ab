"""What is a secret, and how it is kept out of sight."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.masking import SHORTEST, mask, secret_values


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "MYSQL_PASSWD",
        "SSH_PASSPHRASE",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "openai_apikey",
        "SESSION_COOKIE",
    ],
)
def test_the_name_says_that_the_value_is_a_secret(name: str) -> None:
    assert secret_values({name: "abcdefgh", "PATH": "/usr/bin:/bin"}) == {"abcdefgh"}


def test_short_values_and_other_names_are_none() -> None:
    assert secret_values({"TOKENIZERS_PARALLELISM": "false", "HOME": "/home/person", "EDITOR": "vi"}) == frozenset()


def test_a_password_in_an_address_is_one() -> None:
    assert secret_values({"DATABASE_URL": "postgres://me:hunter2hunter2@host/db"}) == {"hunter2hunter2"}
    assert secret_values({"PROXY": "http://host:8080/path@2x"}) == frozenset()


def test_a_value_of_several_lines_is_hidden_line_by_line() -> None:
    key = "-----BEGIN-----\nc2VjcmV0bGluZQ==\n-----END-----"
    secrets = secret_values({"SSH_KEY": key})
    assert mask("it printed\n  c2VjcmV0bGluZQ==\nalone", secrets) == "it printed\n  ***\nalone"
    assert mask(key, secrets) == "***"


def test_no_rest_of_a_longer_secret_is_left() -> None:
    assert mask("a=abcdefgh-and-more b=abcdefgh", {"abcdefgh", "abcdefgh-and-more"}) == "a=*** b=***"
    assert mask("nothing to hide", frozenset()) == "nothing to hide"
    assert mask("a.c abc", {"a.c"}) == "*** abc"


@settings(deadline=None)
@given(
    st.lists(st.text(min_size=SHORTEST, max_size=20).filter(lambda one: "*" not in one), min_size=1, max_size=4),
    st.text(),
)
def test_no_secret_is_left_in_what_was_masked(secrets: list[str], text: str) -> None:
    whole = text + "".join(f"{secret}{text}" for secret in secrets)
    assert not any(secret in mask(whole, secrets) for secret in secrets)
