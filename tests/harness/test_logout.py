from __future__ import annotations

import os

import pytest

from harness.logout import judge, survival

USER_SERVICE = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.scope\n"
SESSION = "0::/user.slice/user-1000.slice/session-3.scope\n"
LEGACY_SESSION = "12:pids:/user.slice/session-3.scope\n1:name=systemd:/user.slice/user-0.slice/session-c1.scope\n"


def _never() -> bool:
    raise AssertionError("asked without need")


@pytest.mark.parametrize(("lingers", "survives"), [(True, True), (False, False)])
def test_under_the_users_manager_lingering_decides(lingers: bool, survives: bool) -> None:
    found = judge(USER_SERVICE, ends_user_processes=_never, lingers=lambda: lingers)
    assert found.survives is survives
    assert "linger" in found.why


@pytest.mark.parametrize("cgroup", [SESSION, LEGACY_SESSION])
@pytest.mark.parametrize(("ends", "survives"), [(True, False), (False, True), (None, None)])
def test_in_a_logins_scope_logind_decides(cgroup: str, ends: bool | None, survives: bool | None) -> None:
    assert judge(cgroup, ends_user_processes=lambda: ends, lingers=_never).survives is survives


@pytest.mark.parametrize(
    "cgroup", ["0::/\n", "0::/system.slice/cron.service\n", "0::/user.slice/my-session-1.scopes/x\n"]
)
def test_elsewhere_nothing_ends_it(cgroup: str) -> None:
    assert judge(cgroup, ends_user_processes=_never, lingers=_never).survives is True


def test_this_system_gives_an_answer() -> None:
    assert survival(os.getpid()).why
