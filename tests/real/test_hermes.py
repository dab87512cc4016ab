"""The adapter of Hermes Agent with the real Hermes Agent. It takes ten seconds to start without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.agents import adapter
from harness.reports import Result
from store.model import Counts
from tests.real.attempt import Ask, asking, printed_version
from tests.real.model import FakeModel
from tests.real.pypi import installed

HERMES = adapter("hermes")
SETTINGS = """
model:
  default: fake-model
  provider: custom
  base_url: {base}/v1
  api_key: sk-test-not-a-key
  context_length: 200000
"""
TASK = "Your task is written in the file"


@pytest.fixture(scope="session")
def program() -> Path:
    return installed("hermes-agent", HERMES.tested, "hermes")


@pytest.fixture
def ask(start: Ask, program: Path, terminal: dict[str, str], model: FakeModel) -> Ask:
    folder = Path(terminal["HOME"]) / ".hermes"
    folder.mkdir()
    (folder / "config.yaml").write_text(SETTINGS.format(base=model.base))
    return asking(start, HERMES, program, terminal)


@pytest.mark.long
def test_it_is_the_version_that_the_reader_is_tested_on(program: Path, terminal: dict[str, str]) -> None:
    assert printed_version(HERMES, program, terminal) == HERMES.tested


DOES_IT = [{"match": TASK, "steps": [{"tool": "bash", "arg": "cp ../0.prompt made.txt"}, {"say": "all done"}]}]


@pytest.mark.parametrize("scenario", [DOES_IT])
def test_success_with_a_tool_call(ask: Ask, model: FakeModel, tmp_path: Path) -> None:
    attempt = ask("x " * 200_000 + "the task")
    assert attempt.end() == 0
    assert attempt.result == Result(ok=True)
    assert attempt.out.read_text() == "all done\n"
    assert (tmp_path / "project/made.txt").read_text().endswith("x the task")
    requests = [one for one in model.requests() if one.get("usage")]
    assert attempt.turns == len(requests) == 2
    assert (attempt.row.model, attempt.row.counts) == ("fake-model", Counts(input=260, output=40, cache_read=800))


@pytest.mark.parametrize("scenario", [[{"match": TASK, "steps": [{"status": 401}]}]])
def test_a_refused_sign_in_has_failed_though_it_ends_with_exit_0(ask: Ask) -> None:
    attempt = ask("the task")
    assert attempt.end() == 0
    assert not attempt.result.ok
    assert attempt.out.read_text().startswith("HTTP 401: ")
    assert attempt.row.counts == Counts()


@pytest.mark.long
@pytest.mark.parametrize("scenario", [[{"match": TASK, "steps": [{"status": 429}]}]])
def test_a_rate_limit_has_failed(ask: Ask) -> None:
    attempt = ask("the task")
    assert attempt.end(seconds=120) == 0
    assert not attempt.result.ok


STALLS = [{"match": TASK, "steps": [{"tool": "bash", "arg": "echo one"}, {"stall": 60, "say": "never"}]}]


@pytest.mark.parametrize("scenario", [STALLS])
def test_killed_in_mid_turn_nothing_is_known(ask: Ask, model: FakeModel) -> None:
    attempt = ask("the task")
    attempt.until(lambda: len([one for one in model.requests() if one.get("usage")]) == 2, seconds=60)
    attempt.kill()
    assert not any(isinstance(report, Result) for report in attempt.reports())
    assert attempt.row.counts == Counts()
