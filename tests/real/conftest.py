"""Real agent CLIs against the fake model server: a home of their own, no account, no network but loopback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.agents import adapter
from tests.real.attempt import Attempt, begin
from tests.real.model import FakeModel, fake_model
from tests.real.npm import installed

HERE = Path(__file__).parent
NOT_A_KEY = "sk-test-not-a-key"
NOWHERE = "http://127.0.0.1:9"  # nothing listens there, so what tries to reach the network fails at once
SECONDS = 600  # the first test waits for an install

Begin = Callable[..., Attempt]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("real")
            item.add_marker(pytest.mark.timeout(SECONDS))


@pytest.fixture(scope="session")
def claude_program() -> Path:
    """Claude Code at the version its reader is tested on."""
    return installed("@anthropic-ai/claude-code", adapter("claude").tested, "@anthropic-ai/claude-code-*/claude")


@pytest.fixture
def scenario() -> Sequence[dict[str, Any]]:
    """Rules of the fake model for prompts without markers; a test may parametrize them."""
    return ()


@pytest.fixture
def model(tmp_path: Path, scenario: Sequence[dict[str, Any]]) -> Iterator[FakeModel]:
    """A fake model server, fresh for this test."""
    with fake_model(tmp_path, scenario=scenario) as running:
        yield running


@pytest.fixture
def terminal(tmp_path: Path) -> dict[str, str]:
    """The environment of a terminal whose home is empty and from which only loopback can be reached."""
    home, temporary = tmp_path / "home", tmp_path / "t"
    home.mkdir()
    temporary.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "HTTPS_PROXY": NOWHERE,
        "HTTP_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
    }


@pytest.fixture
def claude_env(terminal: dict[str, str], model: FakeModel) -> dict[str, str]:
    """A terminal whose Claude Code speaks to the fake model, and sends nothing elsewhere."""
    return {
        **terminal,
        "ANTHROPIC_BASE_URL": model.base,
        "ANTHROPIC_API_KEY": NOT_A_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Begin]:
    """`begin` in a project folder of this test; what is still alive at its end is ended."""
    folder = tmp_path / "project"
    folder.mkdir()
    begun: list[Attempt] = []

    def start(*args: Any, **more: Any) -> Attempt:
        begun.append(begin(*args, folder=folder, **more))
        return begun[-1]

    yield start
    for attempt in begun:
        if attempt.process.poll() is None:
            attempt.kill()
