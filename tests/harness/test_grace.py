from __future__ import annotations

import math

import pytest

from harness.grace import Grace, judge

SERVICE = "0::/system.slice/midwatch.service\n"
USER_SCOPE = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.scope\n"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("1min 30s", 90.0), ("45min", 2_700.0), ("infinity", math.inf), ("500ms", 0.5), ("1h 1min 1s", 3_661.0)],
)
def test_a_unit_says_how_long_it_waits(said: str, seconds: float) -> None:
    found = judge(SERVICE, in_container=lambda: False, ask=lambda _: said)
    assert found == Grace(seconds, "the unit midwatch.service")


def test_the_users_own_units_are_asked_for_of_the_users_manager_and_the_shortest_counts() -> None:
    asked: list[list[str]] = []

    def ask(command: list[str]) -> str:
        asked.append(command)
        return "2min" if command[-1] == "user@1000.service" else "1min 30s"

    assert judge(USER_SCOPE, in_container=lambda: False, ask=ask) == Grace(90.0, "the unit run-u7.scope")
    assert [("--user" in command, command[-1]) for command in asked] == [
        (False, "user@1000.service"),
        (True, "run-u7.scope"),
    ]


def test_a_container_waits_ten_seconds() -> None:
    assert judge("0::/\n", in_container=lambda: True, ask=lambda _: None).seconds == 10.0


@pytest.mark.parametrize("said", [None, "", "soon", "3 fortnights"])
def test_what_nobody_says_is_not_known(said: str | None) -> None:
    found = judge(SERVICE, in_container=lambda: False, ask=lambda _: said)
    assert found.seconds is None
    assert "not known" in (found.falls_short(1) or "")


def test_it_is_said_only_when_it_is_shorter() -> None:
    assert Grace(90.0, "the unit a.service").falls_short(1.5) is None
    assert Grace(math.inf, "the unit a.service").falls_short(60 * 24) is None
    told = Grace(90.0, "the unit a.service").falls_short(30)
    assert told is not None and "1m30s" in told and "a.service" in told and "30 minutes" in told
